package rollbook.v1

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/**
 * A school (2.8), from `GET /finplus/debtmanagement/schools`. An empty text means that there is no
 * value. The last four members are `Yes` or `No`.
 */
@Serializable
data class School(
    @SerialName("school_id") val schoolId: String,
    @SerialName("school_name") val schoolName: String,
    @SerialName("school_short_name") val schoolShortName: String,
    @SerialName("ownership_type") val ownershipType: String,
    val country: String,
    val province: String,
    val town: String,
    val suburb: String,
    val district: String,
    @SerialName("district_code") val districtCode: String,
    val circuit: String,
    val quantile: String,
    @SerialName("emis_number") val emisNumber: String,
    @SerialName("telephone_number") val telephoneNumber: String,
    @SerialName("lowest_grade") val lowestGrade: String,
    @SerialName("highest_grade") val highestGrade: String,
    @SerialName("admin_email_address") val adminEmailAddress: String,
    @SerialName("debtors_email_address") val debtorsEmailAddress: String,
    @SerialName("finance_email_address") val financeEmailAddress: String,
    @SerialName("physical_address") val physicalAddress: String,
    @SerialName("postal_address") val postalAddress: String,
    @SerialName("has_after_school_center") val hasAfterSchoolCenter: String,
    @SerialName("has_hostel") val hasHostel: String,
    @SerialName("uses_debit_orders") val usesDebitOrders: String,
    @SerialName("uses_cashless") val usesCashless: String,
)

/**
 * An API type for which a school has authorised the integrator (2.9), from `GET /settings/clients`.
 */
@Serializable
data class Client(
    @SerialName("school_login_id") val schoolLoginId: String,
    @SerialName("school_name") val schoolName: String,
    @SerialName("admin_email_address") val adminEmailAddress: String,
    @SerialName("telephone_calling_code") val telephoneCallingCode: String,
    @SerialName("telephone_number") val telephoneNumber: String,
    @Serializable(UnsignedLong::class) @SerialName("api_type_id") val apiTypeId: Long,
    @SerialName("api_type") val apiType: String,
    /** `Yes` or `No`. */
    @SerialName("activated_by_integrator") val activatedByIntegrator: String,
)

/** The answer to a request that the service refuses, or for which it finds nothing (2.10). */
@Serializable
data class Refusal(
    /** A short title. */
    val error: String,
    @SerialName("error_description") val errorDescription: String,
)
