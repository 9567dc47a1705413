// The typed questions of a trusted app, which need no credentials and no activation. Schools are
// identified by their login id. Numbers such as 4.1 are sections of the service's documentation.

import { RollbookError } from "./error.js";
import type * as v1 from "./records.js";

/** An id, from 0 to 2^64 - 1. A `number` is exact only below 2^53. */
export type Id = number | bigint | string;

/** A date, `YYYY-MM-DD`, in the school's time. */
export type DateText = string;

/** Get Learner(s) (4.1): the learners that match all filters, ordered by id. */
export interface Learners {
  school: Id;
  /** The status of the learners. The default is `current`. */
  status?: "current" | "left" | "waitlist";
  /** The first transfer date of left learners. The default is a month before `until`. */
  since?: DateText;
  /** The last transfer date of left learners. The default is today. */
  until?: DateText;
  learnerId?: Id;
  /** The grades of the learners. An empty list means all grades. */
  gradeIds?: readonly Id[];
  /** Whether each learner has an array of its parents (2.2). */
  includeParents?: boolean;
  /**
   * A part of the first name, of the last name, or of both with a blank between them. Case and
   * accents are ignored.
   */
  name?: string;
  familyCode?: Id;
}

/**
 * Get Learner Assessment Marks (4.2). It needs `learnerId` or `gradeId`. The answer contains the
 * marks that are released.
 */
export interface AssessmentMarks {
  school: Id;
  learnerId?: Id;
  gradeId?: Id;
  subjectId?: Id;
  /** The year. The default is the current year of the school. */
  year?: Id;
  term?: Id;
  learningOutcomeId?: Id;
  assessmentId?: Id;
  /** Whether to answer only the structure, without marks, including assessments not released. */
  structure?: boolean;
}

/** The subjects of a learner in the current year (4.3, 4.4). */
export interface OfLearner {
  school: Id;
  learnerId: Id;
}

/** Get Learner Subjects (4.5): those of the current learners, or of one learner. */
export interface LearnerSubjects {
  school: Id;
  learnerId?: Id;
}

/** Get Schools (4.6): those that have authorised the integrator, or one of them. */
export interface Schools {
  username: string;
  school?: Id;
}

/** Get Clients (4.7): one record for each school and API type. */
export interface Clients {
  username: string;
  school?: Id;
  apiTypeId?: Id;
}

/** Get Learner Absentees (4.9), ordered by date and id. */
export interface Absentees {
  school: Id;
  /** The id of one record, which is answered whatever its date is. */
  id?: Id;
  learnerId?: Id;
  /** The first day. The default is a month before `toDate`. */
  fromDate?: DateText;
  /** The last day, at most 31 days after the first. The default is today. */
  toDate?: DateText;
}

/** Get Learners of finance (section 9), ordered by id. */
export interface FinanceLearners {
  school: Id;
  learnerId?: Id;
  debtorCode?: string;
  accountablePersonId?: Id;
  parentId?: Id;
  /** Whether to answer learners of every status, and not only the current ones. */
  allAccounts?: boolean;
  includeParents?: boolean;
  includeAccountablePerson?: boolean;
}

/** Get Accountable Persons of finance (section 9), ordered by id. */
export interface AccountablePersons {
  school: Id;
  debtorCode?: string;
  accountablePersonId?: Id;
  /** Whether to answer all persons and learners, not only current learners and their persons. */
  allAccounts?: boolean;
  includeLearners?: boolean;
}

/** Get Parents: those of current learners, ordered by id, or any one by its id. */
export interface Parents {
  school: Id;
  parentId?: Id;
}

/** Get Staff Members: the current ones, ordered by id, or any one by its id. */
export interface StaffMembers {
  school: Id;
  staffMemberId?: Id;
}

/** Get School: the information about one school, as one object. */
export interface SchoolInfo {
  school: Id;
}

/** Get Learner Discipline, ordered by date and id. */
export interface Discipline {
  school: Id;
  /** The id of one record, which is answered whatever its date is. */
  id?: Id;
  learnerId?: Id;
  /** The first day. The default is a month before `toDate`. */
  fromDate?: DateText;
  /** The last day, at most 31 days after the first. The default is today. */
  toDate?: DateText;
}

/** The lookup of a school's grades, ordered by id. */
export interface Grades {
  school: Id;
  gradeId?: Id;
}

/** A lookup that is the same for all schools, ordered by id. */
export interface Lookup {
  list: "ethnicGroup" | "maritalStatus" | "gender" | "language";
  /** The id of one of its records. */
  id?: Id;
}

/** The fields of each question (`asks`), and the type of its answer in v1 (`answers`). */
export interface Questions {
  learners: { asks: Learners; answers: v1.Learner[] };
  assessmentMarks: { asks: AssessmentMarks; answers: v1.AssessmentMarks };
  subjectsPerTerm: { asks: OfLearner; answers: v1.SubjectPerTerm[] };
  subjectMarks: { asks: OfLearner; answers: v1.SubjectMarks[] };
  learnerSubjects: { asks: LearnerSubjects; answers: v1.LearnerSubject[] };
  schools: { asks: Schools; answers: v1.School[] };
  clients: { asks: Clients; answers: v1.Client[] };
  absentees: { asks: Absentees; answers: v1.Absentee[] };
  financeLearners: { asks: FinanceLearners; answers: v1.FinanceLearner[] };
  accountablePersons: { asks: AccountablePersons; answers: v1.AccountablePerson[] };
  parents: { asks: Parents; answers: v1.Parent[] };
  staffMembers: { asks: StaffMembers; answers: v1.StaffMember[] };
  schoolInfo: { asks: SchoolInfo; answers: v1.SchoolInfo };
  discipline: { asks: Discipline; answers: v1.Discipline[] };
  grades: { asks: Grades; answers: v1.LookupEntry[] };
  lookup: { asks: Lookup; answers: v1.LookupEntry[] };
}

const capital = /[A-Z]/g;
/** The names of fields in the module: `learnerId` is `learner_id`. */
const snake = new Map<string, string>();

function toSnake(field: string): string {
  let name = snake.get(field);
  if (name === undefined) {
    name = field.replace(capital, (letter) => `_${letter.toLowerCase()}`);
    // Limited, because a caller may pass any number of unknown names.
    if (snake.size < 100) snake.set(field, name);
  }
  return name;
}

/** Encodes a question for the module: its name, then the names and values of its fields. */
export function encode<K extends keyof Questions>(name: K, fields: Questions[K]["asks"]): string {
  const texts: string[] = [name];
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    texts.push(toSnake(field), Array.isArray(value) ? value.join(",") : String(value));
  }
  return pack(texts);
}

/** Encodes several texts as one for the module: the length of each, then all of them. */
export function pack(texts: readonly string[]): string {
  let lengths = "";
  for (const text of texts) lengths += `${text.length},`;
  return `${lengths};${texts.join("")}`;
}

/** Converts an id to the type that the module expects. */
export function toId(id: Id, name: string): bigint {
  let number: bigint | undefined;
  try {
    number = BigInt(id);
  } catch {
    // The error is thrown below.
  }
  if (number === undefined || number < 0n || number >= 1n << 64n) {
    throw new RollbookError("bad_argument", `${name}: ${id} is not an id: give 0 to 2^64 - 1`);
  }
  return number;
}
