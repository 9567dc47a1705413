package rollbook.v1

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/**
 * A learner of the finance family (section 9), from
 * `GET /finplus/debtmanagement/learnerparentinfo/{school}`. An empty text means that there is no
 * value.
 */
@Serializable
data class FinanceLearner(
    @SerialName("learner_id") val learnerId: String,
    @SerialName("first_name") val firstName: String,
    @SerialName("last_name") val lastName: String,
    val gender: String,
    val grade: String,
    @SerialName("debtor_code") val debtorCode: String,
    @SerialName("parent1_id") val parent1Id: String,
    @SerialName("parent2_id") val parent2Id: String,
    @SerialName("accountable_person_id") val accountablePersonId: String,
    /** The parents; null unless requested with `include_parents`. */
    val parents: List<Parent>? = null,
    /**
     * The accountable person; null if there is none, or unless requested with
     * `include_accountable_person`.
     */
    @SerialName("accountable_person") val accountablePerson: AccountablePerson? = null,
)

/**
 * A person who pays for learners (section 9), from
 * `GET /finplus/debtmanagement/schooldebtors/{school}`. An empty text means that there is no value.
 */
@Serializable
data class AccountablePerson(
    @SerialName("accountable_person_id") val accountablePersonId: String,
    val title: String,
    @SerialName("first_name") val firstName: String,
    @SerialName("full_names") val fullNames: String,
    @SerialName("last_name") val lastName: String,
    @SerialName("debtor_code") val debtorCode: String,
    @SerialName("mobile_calling_code") val mobileCallingCode: String,
    @SerialName("mobile_number") val mobileNumber: String,
    @SerialName("work_tel_number") val workTelNumber: String,
    @SerialName("home_tel_number") val homeTelNumber: String,
    @SerialName("email_address") val emailAddress: String,
    @SerialName("residential_address") val residentialAddress: String,
    @SerialName("postal_address") val postalAddress: String,
    @SerialName("home_language") val homeLanguage: String,
    val nationality: String,
    @SerialName("id_number") val idNumber: String,
    @SerialName("passport_number") val passportNumber: String,
    val employer: String,
    @SerialName("employer_address") val employerAddress: String,
    /** The learners; null unless requested with `include_learners`. */
    val learners: List<FinanceLearner>? = null,
)
