package rollbook.v1

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/**
 * Assessment marks (2.6), from `GET /currplus/learnerassessmentmarks/{school}`: the grades by
 * `grade_id`. The keys of each level below are the ids of its items too.
 */
typealias AssessmentMarks = Map<String, GradeAssessments>

/** A grade's assessments (2.6). */
@Serializable
data class GradeAssessments(
    val grade: String,
    /** The years, by their numbers. */
    val years: Map<String, YearAssessments>,
)

/** A year's assessments (2.6). */
@Serializable
data class YearAssessments(
    val year: String,
    @SerialName("year_name") val yearName: String,
    /** The terms, by their numbers. */
    val terms: Map<String, TermAssessments>,
)

/** A term's assessments (2.6). */
@Serializable
data class TermAssessments(
    val term: String,
    /** The learners, by `learner_id`. */
    val learners: Map<String, LearnerAssessments>,
)

/** A learner's assessments of a term (2.6). */
@Serializable
data class LearnerAssessments(
    @SerialName("learner_id") val learnerId: String,
    /** The subjects, by `subject_id`. */
    val subjects: Map<String, SubjectAssessments>,
)

/** A learner's assessments in a subject (2.6). */
@Serializable
data class SubjectAssessments(
    @SerialName("subject_id") val subjectId: String,
    @SerialName("subject_name") val subjectName: String,
    /** The learning outcomes, by `learning_outcome_id`. */
    @SerialName("learning_outcomes") val learningOutcomes: Map<String, OutcomeAssessments>,
)

/** A learner's assessments for a learning outcome (2.6). */
@Serializable
data class OutcomeAssessments(
    @SerialName("learning_outcome_id") val learningOutcomeId: String,
    @SerialName("learning_outcome_name") val learningOutcomeName: String,
    /** The assessments, by `assessment_id`. */
    val assessments: Map<String, Assessment>,
)

/**
 * An assessment and its mark (2.6). With `structure=1`, all members after [weight] are null.
 */
@Serializable
data class Assessment(
    @SerialName("assessment_id") val assessmentId: String,
    @SerialName("assessment_name") val assessmentName: String,
    /** `YYYY-MM-DD`. */
    @SerialName("assessment_date") val assessmentDate: String,
    /** A decimal. */
    val weight: String,
    /** When the mark was last updated: `YYYY-MM-DD HH:MM:SS`. */
    val dtime: String? = null,
    /** A decimal, or `a` if the learner was absent. */
    val percentage: String? = null,
    /** A decimal, out of [markOutOf]. */
    val mark: String? = null,
    @SerialName("mark_out_of") val markOutOf: String? = null,
    /** `1` if a mark was captured, `0` if not. */
    val captured: String? = null,
)
