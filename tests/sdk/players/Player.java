import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.GamesApi;
import org.openapitools.client.api.MatchesApi;
import org.openapitools.client.api.PlayApi;
import org.openapitools.client.api.PlayersApi;
import org.openapitools.client.api.SeatsApi;
import org.openapitools.client.model.*;

/** Plays a match of every game with the generated Java client, and tells what it saw, a line of JSON a match. */
public class Player {
    // The table is null before the start, which the union of the games' tables refuses by itself.
    static final ObjectMapper JSON =
        ApiClient.createDefaultObjectMapper().setDefaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP));

    final ApiClient client;
    final MatchesApi matches;
    final PlayApi play;

    Player(String address, String name) throws ApiException {
        client = client(address);
        String token = new PlayersApi(client).createPlayer(new CreatePlayer().displayName(name)).getToken();
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
        matches = new MatchesApi(client);
        play = new PlayApi(client);
    }

    static ApiClient client(String address) {
        return new ApiClient(ApiClient.createDefaultHttpClientBuilder(), JSON, address);
    }

    MatchView seen(String id) throws ApiException {
        return matches.getMatch(id, null, null);
    }

    /** Follows a match until it is over; the versions of what it was told, the view it began with first. */
    List<Integer> follow(String id, CountDownLatch began) throws Exception {
        List<Integer> versions = new ArrayList<>();
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(client.getBaseUri() + "/v1/matches/" + id + "/stream"));
        client.getRequestInterceptor().accept(request);
        try (var lines = client.getHttpClient().send(request.build(), BodyHandlers.ofLines()).body()) {
            for (String line : (Iterable<String>) lines.filter(each -> each.startsWith("data: "))::iterator) {
                Object frame = JSON.readValue(line.substring("data: ".length()), StreamFrame.class).getActualInstance();
                if (frame instanceof SnapshotFrame snapshot) {
                    versions.add(snapshot.getView().getVersion());
                    began.countDown();
                } else if (frame instanceof EventFrame event) {
                    versions.add(event.getItem().getVersion());
                }
            }
        }
        return versions;
    }

    List<Integer> listed(String id) throws ApiException {
        List<Integer> versions = new ArrayList<>();
        while (true) {
            EventPage page = play.listEvents(id, versions.size(), null, 5);
            page.getItems().forEach(item -> versions.add(item.getVersion()));
            if (page.getEnded() && versions.size() == page.getVersion()) {
                return versions;
            }
        }
    }

    CommandAnswer send(MatchView view, String key, String ifMatch) throws ApiException {
        Decision decision = view.getDecisions().get(0);
        MatchCommand command = decision.getChoices().get(view.getVersion() % decision.getChoices().size());
        SendCommand body = new SendCommand().command(command).decision(decision.getDecision());
        return play.sendCommand(view.getMatchId(), body, key, ifMatch);
    }

    /** The code of the problem with a choice that was made already. */
    String refused(MatchView view, String ifMatch) throws Exception {
        try {
            send(view, null, ifMatch);
            return "";
        } catch (ApiException refused) {
            return JSON.readValue(refused.getResponseBody(), Problem.class).getCode();
        }
    }

    static Map<String, Object> match(String address, String game, int seats) throws Exception {
        List<Player> players = new ArrayList<>();
        for (String name : List.of("Ada", "Bob", "Cleo").subList(0, seats)) {
            players.add(new Player(address, name));
        }
        Player host = players.get(0);
        MatchOptionsInput options = JSON.readValue("{\"game\": \"" + game + "\"}", MatchOptionsInput.class);
        String id = host.matches.openMatch(new OpenMatch().options(options).seats(seats), null, null).getMatchId();
        CountDownLatch began = new CountDownLatch(1);
        CompletableFuture<List<Integer>> followed = CompletableFuture.supplyAsync(() -> {
            try {
                return host.follow(id, began);
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
        began.await(30, TimeUnit.SECONDS);
        for (Player player : players.subList(1, seats)) {
            new SeatsApi(player.client).takeSeat(id, new TakeSeat(), null, null);
        }
        List<String> refused = new ArrayList<>();
        while (host.seen(id).getStatus() == MatchStatus.PLAYING) {
            for (Player player : players) {
                MatchView view = player.seen(id);
                if (view.getDecisions().isEmpty()) {
                    continue;
                }
                String key = UUID.randomUUID().toString();
                int version = player.send(view, key, null).getVersion();
                if (refused.isEmpty()) {
                    if (player.send(view, key, null).getVersion() != version) {
                        throw new IllegalStateException("The choice was made twice.");
                    }
                    refused = List.of(player.refused(view, "\"v1\""), player.refused(view, null));
                }
            }
        }
        var end = host.matches.getMatchWithHttpInfo(id, null, null);
        int unchanged = 200;
        try {
            host.matches.getMatch(id, end.getHeaders().get("etag").get(0), null);
        } catch (ApiException notModified) {
            unchanged = notModified.getCode();
        }
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("game", game);
        told.put("match_id", id);
        told.put("version", end.getData().getVersion());
        told.put("table", end.getData().getTable().getActualInstance().getClass().getSimpleName());
        told.put("ranked", end.getData().getResult().getRanking().size());
        told.put("listed", host.listed(id));
        told.put("followed", followed.get(30, TimeUnit.SECONDS));
        told.put("refused", refused);
        told.put("unchanged", unchanged);
        return told;
    }

    public static void main(String[] arguments) throws Exception {
        for (GameSummary game : new GamesApi(client(arguments[0])).listGames(null).getItems()) {
            int seats = game.getSeats().stream().filter(count -> count > 1).min(Integer::compare).orElseThrow();
            System.out.println(JSON.writeValueAsString(match(arguments[0], game.getGame(), seats)));
        }
    }
}
