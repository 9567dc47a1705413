package rollbook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.jvm.functions.Function1;
import kotlinx.coroutines.BuildersKt;
import kotlinx.serialization.builtins.BuiltinSerializersKt;
import kotlinx.serialization.json.Json;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rollbook.okhttp.FollowFrom;
import rollbook.okhttp.LoopbackServer;
import rollbook.okhttp.SyncWith;
import rollbook.v1.Learner;

/** Uses the package from Java. */
class JavaTest {
    private static final String SCHOOL =
        "{\"type\":\"school\",\"school_id\":1,\"current_year\":2026}\n";

    private static final String DATASET = SampleSchool.INSTANCE.getDataset().toString();

    private static Engine sample() {
        return SampleSchool.INSTANCE.engine();
    }

    private static String learner(int id) {
        return "{\"type\":\"learner\",\"school_id\":1,\"id\":" + id + ",\"last_name\":\"Smith\"}\n";
    }

    @Test
    void listenersAreLambdas() {
        Engine engine = Engine.memory();
        AtomicInteger calls = new AtomicInteger();
        Dataset dataset = new Dataset.File(DATASET);
        engine.apply(dataset, progress -> {
            assertTrue(progress.getBytes() > 0 && progress.getLines() > 0);
            return calls.incrementAndGet() > 0;
        });
        assertTrue(calls.get() > 0);
        engine.apply(dataset);
        engine.apply(dataset, null);
        IllegalStateException own = new IllegalStateException();
        LoadListener failing = progress -> {
            throw own;
        };
        assertSame(own, assertThrows(own.getClass(), () -> engine.apply(dataset, failing)));
        assertEquals(2, engine.replaceSchool(1, SCHOOL + learner(7)).getTotal().getAdded());
        assertEquals(1, engine.check("x").size());
        engine.close();
    }

    @Test
    void optionalIdsAreNumbersOrNull() {
        Question.Absentees question = new Question.Absentees(1).withLearnerId(7);
        assertEquals(7, question.getLearnerId());
        assertEquals(question, question.withLearnerId(null).withLearnerId(Long.valueOf(7)));
    }

    @Test
    void aLoadReceivesBytes() {
        try (Engine engine = Engine.memory(); Load load = engine.load()) {
            byte[] bytes = (SCHOOL + learner(7)).getBytes(StandardCharsets.UTF_8);
            ByteBuffer rest = ByteBuffer.wrap(bytes, 9, bytes.length - 9);
            load.push(Arrays.copyOf(bytes, 9));
            assertEquals(bytes.length, load.push(rest).getBytes());
            assertEquals(9, rest.position());
            assertEquals(2, load.finish().getTotal().getAdded());
        }
    }

    @Test
    void recordsAreDecoded() {
        try (Engine engine = sample()) {
            String body = engine.ask(new Question.Learners(1000)).getBody();
            List<Learner> learners = Json.Default.decodeFromString(
                BuiltinSerializersKt.ListSerializer(Learner.Companion.serializer()), body);
            assertTrue(body.startsWith("[{\"id\":\"" + learners.get(0).getId() + "\""), body);
        }
    }

    @Test
    void pagesAreRead() {
        List<String> bodies = new ArrayList<>();
        try (Engine engine = sample()) {
            Page page = new Page().withLimit(1L);
            for (String cursor = null; bodies.isEmpty() || cursor != null; ) {
                String body =
                    engine.page(new Question.Grades(1000), page.withCursor(cursor)).getBody();
                bodies.add(body);
                String[] parts = body.split("\"next_cursor\":\"");
                cursor = parts.length > 1 ? parts[1].substring(0, parts[1].indexOf('"')) : null;
            }
            Page last = page.withReverseOrder(true);
            String reversed = engine.page(new Question.Grades(1000), last, 1_778_745_600L).getBody();
            assertEquals(first(bodies.get(bodies.size() - 1)), first(reversed));
        }
        assertTrue(bodies.size() > 1);
    }

    private static String first(String page) {
        return page.substring(0, page.indexOf('}'));
    }

    @Test
    void aQuestionIsObserved() throws InterruptedException {
        Engine engine = Engine.memory();
        engine.apply(SCHOOL);
        CountDownLatch changed = new CountDownLatch(1);
        Question question = new Question.Learners(1).withName("smith");
        try (LiveQuery query = engine.observe(question, changed::countDown)) {
            assertEquals(404, query.poll().getStatus());
            engine.apply(learner(7));
            changed.await();
            assertEquals(200, query.poll().getStatus());
            assertFalse(query.isOver());
        }
        engine.close();
        RollbookException closed = assertThrows(RollbookException.Closed.class, engine::stats);
        assertEquals("closed", ErrorCode.of(closed));
    }

    @Test
    void anIdAboveTheLargestLongHasTheSameBits() {
        String id = "18446744073709551615";
        long school = Long.parseUnsignedLong(id);
        Engine engine = Engine.memory();
        String lines = SCHOOL + learner(7);
        engine.apply(lines.replace(":1,", ":" + id + ",").replace(":7,", ":" + id + ","));
        Answer answer = engine.ask(new Question.Learners(school).withLearnerId(school));
        assertEquals(200, answer.getStatus());
        assertTrue(answer.getBody().startsWith("[{\"id\":\"" + id + "\""), answer.getBody());
        assertEquals(2, engine.removeSchool(school).getTotal().getRemoved());
        engine.close();
    }

    @Test
    void aSyncRunsInACoroutine() throws InterruptedException {
        List<Long> answered = new ArrayList<>();
        try (LoopbackServer service = new LoopbackServer("--dataset", DATASET);
            Engine engine = Engine.memory();
            Sync sync = engine.sync(1000)) {
            SyncReport report = sync(sync, service.getAddress(), "demo", progress -> {
                answered.add(progress.getAnswered());
                return true;
            });
            assertEquals(List.of(), report.getFailed());
            assertTrue(report.getReplies() > 10 && answered.size() > 1);
            assertEquals(200, engine.ask(new Question.Learners(1000)).getStatus());
        }
    }

    @Test
    void aSyncThatStopsIsCaught() throws InterruptedException {
        try (LoopbackServer service = new LoopbackServer("--dataset", DATASET);
            Engine engine = Engine.memory();
            Sync sync = engine.sync(1000)) {
            sync(sync, service.getAddress(), "wrong", null);
            fail("it did not stop");
        } catch (SyncStopped stopped) {
            assertEquals(StopReason.WRONG_CREDENTIALS, stopped.getReason());
        }
    }

    private static SyncReport sync(
        Sync sync, String address, String password, Function1<SyncProgress, Boolean> progress)
        throws InterruptedException {
        OkHttpClient http = new OkHttpClient();
        return BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, end) ->
            SyncWith.syncWith(http, sync, address, "demo", password, progress, end));
    }

    @Test
    void aFeedIsFollowed(@TempDir Path folder) throws InterruptedException {
        String store = folder.resolve("store").toString();
        OkHttpClient http = new OkHttpClient.Builder()
            .addInterceptor(chain ->
                chain.proceed(
                    chain.request().newBuilder().header("Authorization", "Bearer family").build()))
            .build();
        try (LoopbackServer server = new LoopbackServer(
                "--store", store, "--dataset", DATASET, "--feed", "family=1000:1,2");
            Engine engine = Engine.memory()) {
            Summary changes = BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, end) ->
                FollowFrom.followFrom(http, engine, server.getAddress() + "/feed", end));
            assertEquals(2, changes.getKinds().get("learner").getAdded());
        }
    }

    @Test
    void aFeedIsRead() {
        try (Engine engine = sample(); Engine follower = Engine.memory()) {
            Scope scope = new Scope(List.of(new SchoolInScope(1000).withLearners(List.of(1L))));
            try (Feed feed = engine.feed(scope); Follow follow = follower.follow()) {
                for (String piece = feed.read(); piece != null; piece = feed.read()) {
                    follow.push(piece.getBytes(StandardCharsets.UTF_8));
                }
                assertEquals(1, follow.finish().getKinds().get("learner").getAdded());
            }
        }
    }
}
