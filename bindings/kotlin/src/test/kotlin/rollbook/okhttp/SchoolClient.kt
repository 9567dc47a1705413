package rollbook.okhttp

import okhttp3.HttpUrl
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody
import okhttp3.RequestBody.Companion.toRequestBody

/** An answer as an app receives it over HTTP. */
data class Reply(val status: Int, val headers: Map<String, String?>, val body: String)

/**
 * A client of the service as an app would write it, with OkHttp. It does not depend on Rollbook:
 * `http` is any client.
 */
class SchoolClient(private val http: OkHttpClient, private val service: HttpUrl) {
    fun learners(school: Int, vararg filters: Pair<String, String>) =
        get("api/v1/adminplus/learners/$school", *filters)

    fun assessmentMarks(school: Int, vararg filters: Pair<String, String>) =
        get("api/v1/currplus/learnerassessmentmarks/$school", *filters)

    fun subjectsPerTerm(school: Int, learner: Int) =
        get("api/v1/currplus/learnersubjectsperterm/$school", "learner_id" to "$learner")

    fun subjectMarks(school: Int, learner: Int) =
        get("api/v1/currplus/learnersubjectmarks/$school", "learner_id" to "$learner")

    fun learnerSubjects(school: Int) = get("api/v1/currplus/learnersubjects/$school")

    fun schools() = get("api/v1/finplus/debtmanagement/schools")

    fun school(school: Int) = get("api/v1/finplus/debtmanagement/schools/$school")

    fun clients() = get("api/v1/settings/clients")

    fun clients(school: Int) = get("api/v1/settings/clients/$school")

    fun setState(school: Int, apiType: Int, state: Int) =
        ask(
            url("api/v1/settings/clients/$school"),
            "PATCH",
            """{"state":$state,"api_type_id":$apiType}""".toRequestBody(JSON),
        )

    fun absentees(school: Int, vararg filters: Pair<String, String>) =
        get("api/v1/adminplus/learnerabsentees/$school", *filters)

    fun learnerParentInfo(school: Int, vararg filters: Pair<String, String>) =
        get("api/v1/finplus/debtmanagement/learnerparentinfo/$school", *filters)

    fun schoolDebtors(school: Int, vararg filters: Pair<String, String>) =
        get("api/v1/finplus/debtmanagement/schooldebtors/$school", *filters)

    fun learnersV2(school: Int, vararg filters: Pair<String, String>) =
        ask(url("api/v2/adminplus/learners", *filters), school = school)

    fun learnerV2(school: Int, learner: Int) =
        ask(url("api/v2/adminplus/learners/$learner"), school = school)

    fun setStateV2(school: Int, apiType: Int, state: Boolean) =
        ask(
            url("api/v2/settings/clientintegrations"),
            "POST",
            """{"school_id":$school,"state":$state,"api_type_id":$apiType}""".toRequestBody(JSON),
        )

    /** Sends a request with an unmodified path and query. */
    fun raw(target: String, method: String = "GET", body: RequestBody? = null) =
        ask(service.resolve(target)!!, method, body)

    private fun get(path: String, vararg query: Pair<String, String>) = ask(url(path, *query))

    private fun url(path: String, vararg query: Pair<String, String>): HttpUrl =
        service
            .newBuilder()
            .addPathSegments(path)
            .apply { query.forEach { (name, value) -> addQueryParameter(name, value) } }
            .build()

    private fun ask(
        url: HttpUrl,
        method: String = "GET",
        body: RequestBody? = null,
        school: Int? = null,
    ): Reply {
        val request =
            Request.Builder()
                .url(url)
                .method(method, body)
                .addHeader("HTTP-X-USERNAME", "somebody else")
                .addHeader("HTTP-X-USERNAME", "demo")
                .addHeader("HTTP-X-PASSWORD", "demo")
                .apply { school?.let { addHeader("HTTP-X-SCHOOLID", "$it") } }
                .build()
        http.newCall(request).execute().use { response ->
            val headers = listOf("Content-Type", "Content-Length", "Allow")
            return Reply(
                response.code,
                headers.associateWith { response.header(it) },
                response.body.string(),
            )
        }
    }

    private companion object {
        val JSON = "application/json".toMediaType()
    }
}
