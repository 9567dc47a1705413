//! What a transaction touches, until it is noted in the journal.

use super::journal::{self, Area, Touched};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Takes down what is touched, or nothing if nobody follows the store. Clones are of one
/// list.
#[derive(Clone, Default)]
pub(crate) struct Touches(Option<Rc<RefCell<Noted>>>);

/// How many records of an area are noted one by one, and how many in all.
const MOST_OF_AREA: usize = 1 << 15;
const MOST: usize = 1 << 16;

/// What is touched, area by area.
#[derive(Default)]
pub(super) struct Noted {
    /// The area at hand: records come area by area.
    area: Area,
    at_hand: OfArea,
    others: BTreeMap<Area, OfArea>,
    /// How many records are noted.
    count: usize,
}

/// What is touched of an area.
#[derive(Default)]
pub(super) struct OfArea {
    pub(super) touched: Vec<Touched>,
    /// So much that it is not told one by one.
    pub(super) is_whole: bool,
    pub(super) coverage: bool,
}

impl OfArea {
    fn is_empty(&self) -> bool {
        self.touched.is_empty() && !self.is_whole && !self.coverage
    }

    /// Says how many records are no longer noted one by one.
    fn become_whole(&mut self) -> usize {
        self.is_whole = true;
        std::mem::take(&mut self.touched).len()
    }
}

impl Touches {
    pub(super) fn on() -> Touches {
        Touches(Some(Rc::default()))
    }

    /// Whether anything is noted.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.noted().is_some()
    }

    /// Nothing, and known to be when it is compiled, where no journal is kept.
    #[inline]
    fn noted(&self) -> Option<&RefCell<Noted>> {
        self.0.as_deref().filter(|_| journal::IS_KEPT)
    }

    /// Whether more of an area would be noted.
    #[inline]
    pub(crate) fn wants(&self, area: Area) -> bool {
        match self.noted() {
            Some(noted) => !noted.borrow_mut().of(area).is_whole,
            None => false,
        }
    }

    /// A record is touched. One that is as it was does no harm.
    pub(crate) fn touch(&self, area: Area, touched: Touched) {
        if let Some(noted) = self.noted() {
            noted.borrow_mut().touch(area, touched);
        }
    }

    /// Any record of an area may have been.
    pub(crate) fn touch_all(&self, area: Area) {
        if let Some(noted) = self.noted() {
            let noted = &mut *noted.borrow_mut();
            noted.count -= noted.of(area).become_whole();
        }
    }

    /// What was seen of a school.
    pub(crate) fn touch_coverage(&self, school: u64) {
        if let Some(noted) = self.noted() {
            noted.borrow_mut().of(Area::School(school)).coverage = true;
        }
    }

    /// All that was noted; nothing is left.
    pub(super) fn take(&self) -> BTreeMap<Area, OfArea> {
        let noted = self
            .noted()
            .map(|noted| std::mem::take(&mut *noted.borrow_mut()));
        let Noted {
            area,
            at_hand,
            mut others,
            ..
        } = noted.unwrap_or_default();
        others.insert(area, at_hand);
        others.retain(|_, of_area| !of_area.is_empty());
        others
    }
}

impl Noted {
    fn of(&mut self, area: Area) -> &mut OfArea {
        if area != self.area {
            let next = self.others.remove(&area).unwrap_or_default();
            let before = std::mem::replace(&mut self.at_hand, next);
            let of = std::mem::replace(&mut self.area, area);
            if !before.is_empty() {
                self.others.insert(of, before);
            }
        }
        &mut self.at_hand
    }

    fn touch(&mut self, area: Area, touched: Touched) {
        let of_area = self.of(area);
        if of_area.is_whole {
            return;
        }
        of_area.touched.push(touched);
        let is_full = of_area.touched.len() > MOST_OF_AREA;
        self.count += 1;
        if is_full {
            self.count -= self.at_hand.become_whole();
        }
        if self.count > MOST {
            self.shed();
        }
    }

    /// Makes room: areas with at least half as many records as the average are noted as a
    /// whole, which is at least half of all records.
    fn shed(&mut self) {
        let areas = self.others.values_mut().chain([&mut self.at_hand]);
        let noted: Vec<_> = areas.filter(|of| !of.touched.is_empty()).collect();
        let enough = self.count / noted.len().max(1) / 2;
        for of_area in noted {
            if of_area.touched.len() >= enough {
                self.count -= of_area.become_whole();
            }
        }
    }
}
