import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import okhttp3.OkHttpClient
import okhttp3.Request
import org.openapitools.client.apis.GamesApi
import org.openapitools.client.apis.MatchesApi
import org.openapitools.client.apis.PlayApi
import org.openapitools.client.apis.PlayersApi
import org.openapitools.client.apis.SeatsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.Success
import org.openapitools.client.models.CommandAnswer
import org.openapitools.client.models.CreatePlayer
import org.openapitools.client.models.MatchStatus
import org.openapitools.client.models.MatchView
import org.openapitools.client.models.OpenMatch
import org.openapitools.client.models.MatchOptionsInput
import org.openapitools.client.models.Problem
import org.openapitools.client.models.SendCommand
import org.openapitools.client.models.StreamFrame
import org.openapitools.client.models.MatchTable
import org.openapitools.client.models.TakeSeat

// Plays a match of every game with the generated Kotlin client, and tells what it saw, a line of JSON a match.

class Player(private val address: String, name: String) {
    private val token = PlayersApi(address).createPlayer(CreatePlayer(name)).token
    private val client = OkHttpClient.Builder()
        .addInterceptor { it.proceed(it.request().newBuilder().header("Authorization", "Bearer $token").build()) }
        .readTimeout(30, TimeUnit.SECONDS)
        .build()
    val matches = MatchesApi(address, client)
    val seats = SeatsApi(address, client)
    private val play = PlayApi(address, client)

    /** Follows a match until it is over; the versions of what it was told, the view it began with first. */
    fun follow(id: String, began: CountDownLatch): List<Int> {
        val versions = mutableListOf<Int>()
        client.newCall(Request.Builder().url("$address/v1/matches/$id/stream").build()).execute().use { answer ->
            while (true) {
                val line = answer.body.source().readUtf8Line() ?: break
                if (!line.startsWith("data: ")) continue
                when (val frame = Serializer.kotlinxSerializationJson.decodeFromString<StreamFrame>(line.removePrefix("data: "))) {
                    is StreamFrame.SnapshotWrapper -> versions.add(frame.value.view.version).also { began.countDown() }
                    is StreamFrame.EventWrapper -> versions.add(frame.value.item.version)
                    is StreamFrame.ResumedWrapper, is StreamFrame.ResetWrapper, is StreamFrame.ByeWrapper -> continue
                }
            }
        }
        return versions
    }

    fun listed(id: String): List<Int> {
        val versions = mutableListOf<Int>()
        while (true) {
            val page = play.listEvents(id, after = versions.size, wait = 5)
            versions += page.items.map { it.version }
            if (page.ended && versions.size == page.version) return versions
        }
    }

    fun send(view: MatchView, key: String?, ifMatch: String?): CommandAnswer {
        val decision = view.decisions.first()
        val command = decision.choices[view.version % decision.choices.size]
        return play.sendCommand(view.matchId, SendCommand(command, decision.decision), key, ifMatch)
    }

    /** The code of the problem with a choice that was made already. */
    fun refused(view: MatchView, ifMatch: String?): String =
        try {
            send(view, null, ifMatch)
            ""
        } catch (refused: ClientException) {
            val body = (refused.response as ClientError<*>).body as String
            Serializer.kotlinxSerializationJson.decodeFromString<Problem>(body).code
        }
}

fun nameOf(table: MatchTable?): String = when (table) {
    is MatchTable.BlackSheepWrapper -> table.value::class.simpleName
    is MatchTable.LittleTrainWrapper -> table.value::class.simpleName
    is MatchTable.PicoWrapper -> table.value::class.simpleName
    is MatchTable.SchemersWrapper -> table.value::class.simpleName
    is MatchTable.WolvesWrapper -> table.value::class.simpleName
    null -> null
}.toString()

fun match(address: String, game: String, seats: Int): Map<String, Any> {
    val players = listOf("Ada", "Bob", "Cleo").take(seats).map { Player(address, it) }
    val host = players.first()
    val options = Serializer.kotlinxSerializationJson.decodeFromString<MatchOptionsInput>("""{"game": "$game"}""")
    val id = host.matches.openMatch(OpenMatch(options, seats)).matchId
    val began = CountDownLatch(1)
    val followed = CompletableFuture.supplyAsync { host.follow(id, began) }
    began.await(30, TimeUnit.SECONDS)
    players.drop(1).forEach { it.seats.takeSeat(id, TakeSeat()) }
    var refused = listOf<String>()
    while (host.matches.getMatch(id).status == MatchStatus.playing) {
        for (player in players) {
            val view = player.matches.getMatch(id)
            if (view.decisions.isEmpty()) continue
            val key = UUID.randomUUID().toString()
            val version = player.send(view, key, null).version
            if (refused.isEmpty()) {
                check(player.send(view, key, null).version == version) { "The choice was made twice." }
                refused = listOf(player.refused(view, "\"v1\""), player.refused(view, null))
            }
        }
    }
    val answer = host.matches.getMatchWithHttpInfo(id, null, null) as Success<*>
    val end = answer.data as MatchView
    return mapOf(
        "game" to game,
        "match_id" to id,
        "version" to end.version,
        "table" to nameOf(end.table),
        "ranked" to end.result!!.ranking.size,
        "listed" to host.listed(id),
        "followed" to followed.get(30, TimeUnit.SECONDS),
        "refused" to refused,
        "unchanged" to host.matches.getMatchWithHttpInfo(id, answer.headers.getValue("etag").first(), null).statusCode,
    )
}

fun main(arguments: Array<String>) {
    Serializer.kotlinxSerializationJsonConfiguration = { explicitNulls = false }
    val address = arguments[0]
    ApiClient.accessToken = PlayersApi(address).createPlayer(CreatePlayer("Dora")).token
    check(PlayersApi(address).getMe().displayName == "Dora") { "This is the way for whoever is one player alone." }
    for (game in GamesApi(address).listGames().items) {
        val told = match(address, game.game, game.seats.filter { it > 1 }.min())
        println(JsonObject(told.mapValues { (_, value) -> if (value is List<*>) JsonArray(value.map(::json)) else json(value) }))
    }
}

fun json(value: Any?): JsonPrimitive = if (value is Int) JsonPrimitive(value) else JsonPrimitive(value.toString())
