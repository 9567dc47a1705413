// Examples of requests, for the sample school.

export interface Example {
  readonly title: string;
  readonly method?: string;
  readonly target: string;
  /** The headers in addition to the credentials. */
  readonly headers?: readonly string[];
  readonly body?: string;
}

const v2 = ["HTTP-X-SCHOOLID: 1000"];

export const EXAMPLES: readonly Example[] = [
  { title: "Learners of a name", target: "/api/v1/adminplus/learners/1000?name=an" },
  {
    title: "A learner with parents",
    target: "/api/v1/adminplus/learners/1000?learner_id=1&include_parents=1",
  },
  {
    title: "Assessment marks of a learner",
    target: "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=1",
  },
  {
    title: "Subject marks of a learner",
    target: "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1",
  },
  {
    title: "Subjects of a learner by term",
    target: "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=1",
  },
  { title: "Learner subjects of a school", target: "/api/v1/currplus/learnersubjects/1000" },
  { title: "Absences of the last month", target: "/api/v1/adminplus/learnerabsentees/1000" },
  { title: "Discipline of the last month", target: "/api/v1/adminplus/learnerdiscipline/1000" },
  { title: "Parents of current learners", target: "/api/v1/adminplus/parents/1000" },
  { title: "Staff members", target: "/api/v1/adminplus/staffmembers/1000" },
  { title: "School info", target: "/api/v1/adminplus/school/1000" },
  { title: "Grades by name", target: "/api/v1/adminplus/lookup/grade/1000" },
  { title: "Languages", target: "/api/v1/adminplus/lookup/language" },
  { title: "Schools", target: "/api/v1/finplus/debtmanagement/schools" },
  { title: "Clients", target: "/api/v1/settings/clients" },
  {
    title: "Deactivate Admin+ API",
    method: "PATCH",
    target: "/api/v1/settings/clients/1000",
    body: '{"api_type_id":8,"state":0}',
  },
  {
    title: "Activate Admin+ API",
    method: "PATCH",
    target: "/api/v1/settings/clients/1000",
    body: '{"api_type_id":8,"state":1}',
  },
  {
    title: "Learners' accounts",
    target: "/api/v1/finplus/debtmanagement/learnerparentinfo/1000",
  },
  {
    title: "Accountable persons",
    target: "/api/v1/finplus/debtmanagement/schooldebtors/1000?include_learners=1",
  },
  {
    title: "v2: learners, a page of five",
    target: "/api/v2/adminplus/learners?limit=5",
    headers: v2,
  },
  { title: "v2: one learner", target: "/api/v2/adminplus/learners/1", headers: v2 },
  {
    title: "v2: assessment marks, flat",
    target: "/api/v2/currplus/learnerassessmentmarks?learner_id=1&term=1",
    headers: v2,
  },
];
