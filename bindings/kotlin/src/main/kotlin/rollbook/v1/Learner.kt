package rollbook.v1

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/**
 * A learner (2.1), from `GET /adminplus/learners/{school}`. An empty text means that there is no
 * value. Dates have the form `YYYY-MM-DD`.
 */
@Serializable
data class Learner(
    val id: String,
    @SerialName("first_name") val firstName: String,
    @SerialName("last_name") val lastName: String,
    @SerialName("mobile_calling_code") val mobileCallingCode: String,
    @SerialName("mobile_number") val mobileNumber: String,
    @SerialName("email_address") val emailAddress: String,
    @SerialName("date_of_birth") val dateOfBirth: String,
    /** `M` or `F`. */
    val gender: String,
    @SerialName("ethnic_group_id") val ethnicGroupId: String,
    @SerialName("ethnic_group") val ethnicGroup: String,
    @SerialName("home_language_id") val homeLanguageId: String,
    @SerialName("home_language") val homeLanguage: String,
    @SerialName("tuition_language_id") val tuitionLanguageId: String,
    @SerialName("tuition_language") val tuitionLanguage: String,
    val nationality: String,
    @SerialName("admission_number") val admissionNumber: String,
    @SerialName("family_code") val familyCode: String,
    @SerialName("id_number") val idNumber: String,
    @SerialName("passport_number") val passportNumber: String,
    @SerialName("grade_id") val gradeId: String,
    val grade: String,
    @SerialName("register_class_name") val registerClassName: String,
    @SerialName("register_class_teacher_id") val registerClassTeacherId: String,
    val country: String,
    val province: String,
    @SerialName("education_stream") val educationStream: String,
    @SerialName("photo_url") val photoUrl: String,
    @SerialName("parent1_id") val parent1Id: String,
    @SerialName("parent2_id") val parent2Id: String,
    /** Parent 1, then parent 2; null unless requested with `include_parents`. */
    val parents: List<Parent>? = null,
)

/** A parent or guardian of a learner (2.2). An empty text means that there is no value. */
@Serializable
data class Parent(
    val id: String,
    val title: String,
    @SerialName("first_name") val firstName: String,
    @SerialName("last_name") val lastName: String,
    @SerialName("mobile_calling_code") val mobileCallingCode: String,
    @SerialName("mobile_number") val mobileNumber: String,
    @SerialName("email_address") val emailAddress: String,
    /** `YYYY-MM-DD`. */
    @SerialName("date_of_birth") val dateOfBirth: String,
    val gender: String,
    @SerialName("ethnic_group_id") val ethnicGroupId: String,
    @SerialName("ethnic_group") val ethnicGroup: String,
    /** Lines, separated by a carriage return and a line feed. */
    @SerialName("residential_address") val residentialAddress: String,
    /** Lines, separated by a carriage return and a line feed. */
    @SerialName("postal_address") val postalAddress: String,
    @SerialName("home_language_id") val homeLanguageId: String,
    @SerialName("home_language") val homeLanguage: String,
    val nationality: String,
    @SerialName("family_code") val familyCode: String,
    @SerialName("id_number") val idNumber: String,
    @SerialName("passport_number") val passportNumber: String,
    @SerialName("marital_status_id") val maritalStatusId: String,
    @SerialName("marital_status") val maritalStatus: String,
    @SerialName("occupation_status") val occupationStatus: String,
    val occupation: String,
    @SerialName("employment_sector") val employmentSector: String,
    /** A decimal with two places. */
    @SerialName("gross_annual_income") val grossAnnualIncome: String,
)

/** An absence of a learner (2.7), from `GET /adminplus/learnerabsentees/{school}`. */
@Serializable
data class Absentee(
    val id: String,
    @SerialName("learner_id") val learnerId: String,
    /** `YYYY-MM-DD`. */
    @SerialName("absent_date") val absentDate: String,
    @SerialName("absent_reason") val absentReason: String,
)
