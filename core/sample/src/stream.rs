//! Makes the dataset while it is read, one small block of lines after the other.

use std::io::{self, BufRead, Read};

use crate::SampleSchool;
use crate::plan::Plan;
use crate::{
    absences, accountable, conduct, curriculum, edge, enrolment, families, learners, marks,
    parents, programmes, settings, staff,
};

/// A stage writes one or several kinds of records, in a number of blocks.
struct Stage {
    blocks: fn(&Plan) -> u64,
    write: fn(&Plan, u64, &mut String),
}

const STAGES: [Stage; 13] = [
    Stage {
        blocks: |_| 1,
        write: |plan, _, out| settings::write(plan, out),
    },
    Stage {
        blocks: |plan| families::blocks(&plan.school),
        write: parents::write,
    },
    Stage {
        blocks: |plan| families::blocks(&plan.school),
        write: learners::write,
    },
    Stage {
        blocks: |_| 1,
        write: |plan, _, out| curriculum::write_subjects(plan, out),
    },
    Stage {
        blocks: enrolment::blocks,
        write: enrolment::write,
    },
    Stage {
        blocks: |_| 1,
        write: |plan, _, out| curriculum::write_outcomes(plan, out),
    },
    Stage {
        blocks: programmes::blocks,
        write: programmes::write,
    },
    Stage {
        blocks: marks::blocks,
        write: marks::write,
    },
    Stage {
        blocks: absences::blocks,
        write: absences::write,
    },
    Stage {
        blocks: |plan| families::blocks(&plan.school),
        write: accountable::write,
    },
    Stage {
        blocks: |_| 1,
        write: |plan, _, out| staff::write(plan, out),
    },
    Stage {
        blocks: absences::blocks,
        write: conduct::write,
    },
    Stage {
        blocks: |plan| u64::from(plan.school.edge_values),
        write: |plan, _, out| edge::write(plan, out),
    },
];

/// A reader of the bytes of a dataset.
pub(crate) struct Reader {
    plan: Plan,
    stage: usize,
    /// The next block of the stage.
    next: u64,
    block: String,
    read: usize,
}

impl Reader {
    pub(crate) fn new(school: SampleSchool) -> Self {
        Self {
            plan: Plan::new(school),
            stage: 0,
            next: 0,
            block: String::new(),
            read: 0,
        }
    }

    /// Makes the next block if the current one was read completely. At the end there is none.
    fn advance(&mut self) {
        while self.read == self.block.len()
            && let Some(stage) = STAGES.get(self.stage)
        {
            if self.next == (stage.blocks)(&self.plan) {
                self.stage += 1;
                self.next = 0;
            } else {
                self.block.clear();
                self.read = 0;
                (stage.write)(&self.plan, self.next, &mut self.block);
                self.next += 1;
            }
        }
    }
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.advance();
        Ok(&self.block.as_bytes()[self.read..])
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// An iterator over the lines of a dataset.
pub(crate) struct Lines(Reader);

impl Lines {
    pub(crate) fn new(school: SampleSchool) -> Self {
        Self(Reader::new(school))
    }
}

impl Iterator for Lines {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.0.advance();
        let (line, _) = self.0.block[self.0.read..].split_once('\n')?;
        let line = line.to_owned();
        self.0.consume(line.len() + 1);
        Some(line)
    }
}
