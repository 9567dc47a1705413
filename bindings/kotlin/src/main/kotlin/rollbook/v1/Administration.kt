package rollbook.v1

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/**
 * A merit or demerit of a learner on a day, from `GET /adminplus/learnerdiscipline/{school}`.
 */
@Serializable
data class Discipline(
    val id: String,
    @SerialName("learner_id") val learnerId: String,
    /** `YYYY-MM-DD`. */
    @SerialName("discipline_date") val disciplineDate: String,
    @SerialName("discipline_category") val disciplineCategory: String,
    @SerialName("discipline_reason") val disciplineReason: String,
    /** An integer, negative or not. */
    @SerialName("discipline_points") val disciplinePoints: String,
    @SerialName("discipline_remarks") val disciplineRemarks: String,
    @SerialName("staff_member_id") val staffMemberId: String,
)

/** A member of a school's staff, from `GET /adminplus/staffmembers/{school}`. */
@Serializable
data class StaffMember(
    val id: String,
    val title: String,
    @SerialName("first_name") val firstName: String,
    @SerialName("last_name") val lastName: String,
    @SerialName("mobile_calling_code") val mobileCallingCode: String,
    @SerialName("mobile_number") val mobileNumber: String,
    @SerialName("email_address") val emailAddress: String,
    @SerialName("date_of_birth") val dateOfBirth: String,
    val gender: String,
    @SerialName("ethnic_group") val ethnicGroup: String,
    @SerialName("residential_address") val residentialAddress: String,
    @SerialName("postal_address") val postalAddress: String,
    @SerialName("home_language") val homeLanguage: String,
    val nationality: String,
    @SerialName("id_number") val idNumber: String,
    @SerialName("passport_number") val passportNumber: String,
    /** The name of the status, for example `Married`, not its id. */
    @SerialName("marital_status_id") val maritalStatusId: String,
    @SerialName("employment_category") val employmentCategory: String,
    /** `Yes` or `No`. */
    @SerialName("is_educator") val isEducator: String,
    @SerialName("appointment_type") val appointmentType: String,
    @SerialName("paid_by") val paidBy: String,
    @SerialName("sace_number") val saceNumber: String,
    /** The names, separated by commas. */
    @SerialName("register_classes") val registerClasses: String,
)

/** The information that a school publishes about itself, from `GET /adminplus/school/{school}`. */
@Serializable
data class SchoolInfo(
    @SerialName("school_name") val schoolName: String,
    @SerialName("admin_email_address") val adminEmailAddress: String,
    @SerialName("telephone_calling_code") val telephoneCallingCode: String,
    @SerialName("telephone_number") val telephoneNumber: String,
    val website: String,
    @SerialName("physical_address") val physicalAddress: String,
    val quantile: String,
    val medium: String,
    @SerialName("emis_number") val emisNumber: String,
    val country: String,
    val province: String,
    @SerialName("tuition_languages") val tuitionLanguages: List<String>,
)

/**
 * A record of a lookup list, from `GET /adminplus/lookup/…`: a grade, an ethnic group, a marital
 * status, a gender or a language.
 */
@Serializable
data class LookupEntry(
    val id: String,
    val name: String,
)
