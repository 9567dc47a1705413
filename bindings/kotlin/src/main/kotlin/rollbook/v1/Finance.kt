package rollbook.v1

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/**
 * A learner of finance (section 9), of `GET /finplus/debtmanagement/learnerparentinfo/{school}`.
 * The empty text means no value.
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
    /** Null unless asked for with `include_parents`. */
    val parents: List<Parent>? = null,
    /** Null unless asked for with `include_accountable_person`, and if there is none. */
    @SerialName("accountable_person") val accountablePerson: AccountablePerson? = null,
)

/**
 * Who pays for learners (section 9), of `GET /finplus/debtmanagement/schooldebtors/{school}`. The
 * empty text means no value.
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
    /** Null unless asked for with `include_learners`. */
    val learners: List<FinanceLearner>? = null,
)
