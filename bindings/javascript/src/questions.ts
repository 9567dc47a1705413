// What an app that is trusted may ask: no credentials, no activation. Schools are
// named by their login id. Numbers such as 4.1 are sections of the service's
// documentation.

import { RollbookError } from "./error.js";
import type * as v1 from "./records.js";

/** An id: up to 2^64 - 1, which a `number` holds only below 2^53. */
export type Id = number | bigint | string;

/** A date, `YYYY-MM-DD`, in the school's time. */
export type DateText = string;

/** Get Learner(s) (4.1): by id. All filters must hold. */
export interface Learners {
  school: Id;
  /** Which learners; the current ones unless given. */
  status?: "current" | "left" | "waitlist";
  /** Left learners: the first transfer date; a month before `until` unless given. */
  since?: DateText;
  /** Left learners: the last transfer date; today unless given. */
  until?: DateText;
  learnerId?: Id;
  /** Learners of these grades; all if there are none. */
  gradeIds?: readonly Id[];
  /** Gives each learner an array of its parents (2.2). */
  includeParents?: boolean;
  /**
   * A part of the first name, the last name, or both with a blank between; case and
   * accents do not matter.
   */
  name?: string;
  familyCode?: Id;
}

/**
 * Get Learner Assessment Marks (4.2): one of `learnerId` and `gradeId` is needed.
 * Marks are answered once they are released.
 */
export interface AssessmentMarks {
  school: Id;
  learnerId?: Id;
  gradeId?: Id;
  subjectId?: Id;
  /** The year; the school's current one unless given. */
  year?: Id;
  term?: Id;
  learningOutcomeId?: Id;
  assessmentId?: Id;
  /** The structure alone, without marks: released or not. */
  structure?: boolean;
}

/** A learner's subjects of the current year (4.3, 4.4). */
export interface OfLearner {
  school: Id;
  learnerId: Id;
}

/** Get Learner Subjects (4.5): of the current learners, or of one learner. */
export interface LearnerSubjects {
  school: Id;
  learnerId?: Id;
}

/** Get Schools (4.6): those that have authorised the integrator, or one of them. */
export interface Schools {
  username: string;
  school?: Id;
}

/** Get Clients (4.7): one record per school and API type. */
export interface Clients {
  username: string;
  school?: Id;
  apiTypeId?: Id;
}

/** Get Learner Absentees (4.9): by date, then id. */
export interface Absentees {
  school: Id;
  /** One record, whatever its date. */
  id?: Id;
  learnerId?: Id;
  /** The first day; a month before `toDate` unless given. */
  fromDate?: DateText;
  /** The last day, at most 31 days later; today unless given. */
  toDate?: DateText;
}

/** Get Learners of finance (section 9): by id. */
export interface FinanceLearners {
  school: Id;
  learnerId?: Id;
  debtorCode?: string;
  accountablePersonId?: Id;
  parentId?: Id;
  /** Learners of every status, and not the current ones alone. */
  allAccounts?: boolean;
  includeParents?: boolean;
  includeAccountablePerson?: boolean;
}

/** Get Accountable Persons of finance (section 9): by id. */
export interface AccountablePersons {
  school: Id;
  debtorCode?: string;
  accountablePersonId?: Id;
  /** All persons and all their learners, not those of current learners alone. */
  allAccounts?: boolean;
  includeLearners?: boolean;
}

/** Get Parents: of current learners, by id; or one, whoever the learners are. */
export interface Parents {
  school: Id;
  parentId?: Id;
}

/** Get Staff Members: the current ones, by id; or one, current or not. */
export interface StaffMembers {
  school: Id;
  staffMemberId?: Id;
}

/** Get School: what a school says of itself, as one object. */
export interface SchoolInfo {
  school: Id;
}

/** Get Learner Discipline: by date, then id. */
export interface Discipline {
  school: Id;
  /** One record, whatever its date. */
  id?: Id;
  learnerId?: Id;
  /** The first day; a month before `toDate` unless given. */
  fromDate?: DateText;
  /** The last day, at most 31 days later; today unless given. */
  toDate?: DateText;
}

/** The lookup of a school's grades, by id. */
export interface Grades {
  school: Id;
  gradeId?: Id;
}

/** A lookup that is the same for all schools, by id. */
export interface Lookup {
  list: "ethnicGroup" | "maritalStatus" | "gender" | "language";
  /** One of its records. */
  id?: Id;
}

/** Of each question, what it takes and what v1 answers. */
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
/** The fields' names as the module has them: `learnerId` is `learner_id`. */
const snake = new Map<string, string>();

function toSnake(field: string): string {
  let name = snake.get(field);
  if (name === undefined) {
    name = field.replace(capital, (letter) => `_${letter.toLowerCase()}`);
    // Names that no question has must not gather.
    if (snake.size < 100) snake.set(field, name);
  }
  return name;
}

/** A question as the module takes it: its name, then names and values of its fields. */
export function encode<K extends keyof Questions>(name: K, fields: Questions[K]["asks"]): string {
  const texts: string[] = [name];
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    texts.push(toSnake(field), Array.isArray(value) ? value.join(",") : String(value));
  }
  return pack(texts);
}

/** Several texts as the module takes them in one: of each its length, then all of them. */
export function pack(texts: readonly string[]): string {
  let lengths = "";
  for (const text of texts) lengths += `${text.length},`;
  return `${lengths};${texts.join("")}`;
}

/** An id as the module takes it. */
export function toId(id: Id, name: string): bigint {
  let number: bigint | undefined;
  try {
    number = BigInt(id);
  } catch {
    // It is told below.
  }
  if (number === undefined || number < 0n || number >= 1n << 64n) {
    throw new RollbookError("bad_argument", `${name}: ${id} is no id: give 0 to 2^64 - 1`);
  }
  return number;
}
