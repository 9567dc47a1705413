package rollbook.v1

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/**
 * A subject that a learner takes in the current year (2.3), from
 * `GET /currplus/learnersubjects/{school}`.
 */
@Serializable
data class LearnerSubject(
    @SerialName("learner_id") val learnerId: String,
    @SerialName("first_name") val firstName: String,
    @SerialName("last_name") val lastName: String,
    @Serializable(UnsignedLong::class) @SerialName("subject_id") val subjectId: Long,
    @SerialName("subject_name") val subjectName: String,
)

/**
 * A subject of a learner with its terms (2.4), from
 * `GET /currplus/learnersubjectsperterm/{school}`.
 */
@Serializable
data class SubjectPerTerm(
    val year: String,
    @SerialName("subject_id") val subjectId: String,
    @SerialName("subject_name") val subjectName: String,
    @SerialName("super_subject_id") val superSubjectId: String,
    @SerialName("super_subject_name") val superSubjectName: String,
    @SerialName("grade_id") val gradeId: String,
    val grade: String,
    val terms: List<SubjectTerm>,
)

/** A term of a subject (2.4). */
@Serializable
data class SubjectTerm(
    @Serializable(UnsignedLong::class) @SerialName("term_id") val termId: Long,
    val term: String,
    @SerialName("subject_group_id") val subjectGroupId: String,
    @SerialName("subject_group_name") val subjectGroupName: String,
    @SerialName("classroom_id") val classroomId: String,
    @SerialName("classroom_name") val classroomName: String,
    @SerialName("subject_group_teacher_id") val subjectGroupTeacherId: String,
)

/**
 * A subject of a learner with its term marks (2.5), from
 * `GET /currplus/learnersubjectmarks/{school}`.
 */
@Serializable
data class SubjectMarks(
    val year: String,
    @SerialName("subject_id") val subjectId: String,
    @SerialName("subject_name") val subjectName: String,
    @SerialName("grade_id") val gradeId: String,
    val grade: String,
    val terms: List<TermMark>,
)

/** The mark of a term (2.5). */
@Serializable
data class TermMark(
    val term: String,
    /** A decimal with two places, such as a percentage. */
    val mark: String,
)
