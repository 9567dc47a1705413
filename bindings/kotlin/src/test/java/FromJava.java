import java.nio.file.Path;
import java.util.List;
import rollbook.*;

public class FromJava {
    public static void main(String[] arguments) {
        Options options = new Options().withFixedClock(1_778_745_600L);
        try (Engine engine = Engine.memory(options)) {
            engine.apply(Path.of(arguments[0]), progress -> true); // false: cancel

            String target = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-05-01";
            List<Header> credentials = List.of(
                new Header("HTTP-X-USERNAME", "demo"), new Header("HTTP-X-PASSWORD", "demo"));
            Answer answer = engine.request(new Request(target).withHeaders(credentials));
            System.out.println(answer.getStatus() + " " + answer.getBody());

            Question.Absentees question = new Question.Absentees(1000).withLearnerId(1);
            System.out.println(engine.ask(question.withFromDate("2026-05-01")).equals(answer));
            System.out.println(engine.page(question, new Page().withLimit(5)).getStatus());
            System.out.println(engine.stats().getRecords().get("learner") + " learners");
            engine.ask(question.withFromDate("yesterday"));
        } catch (RollbookException failed) {
            System.out.println(ErrorCode.of(failed) + ": " + failed.getMessage());
        }
    }
}
