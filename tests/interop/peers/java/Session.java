import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A client that takes commands, one a line, and answers with lines of which the last is "done" or
 * "failed" and why. Arguments: VERB=CLASS for each command, as this release can do it.
 */
final class Session {
    public static void main(String[] arguments) throws Exception {
        Map<String, Part> parts = new HashMap<>();
        for (String each : arguments) {
            String[] pair = each.split("=");
            Class<?> named = Class.forName(pair[1]);
            parts.put(pair[0], (Part) named.getDeclaredConstructor().newInstance());
        }
        BufferedReader commands =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream answer = System.out;
        System.setOut(System.err); // what a client logs is no answer
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] command = line.split(" ");
            try {
                parts.get(command[0]).run(command, rows(command, commands), answer);
                answer.println("done");
            } catch (Exception failure) {
                failure.printStackTrace();
                answer.println("failed " + failure);
            }
            answer.flush();
        }
        System.exit(0); // some old clients leave threads behind
    }

    /** A write names last how many rows follow. */
    private static List<Row> rows(String[] command, BufferedReader commands) throws Exception {
        List<Row> rows = new ArrayList<>();
        if (command[0].equals("write")) {
            int count = Integer.parseInt(command[command.length - 1]);
            for (int index = 0; index < count; index++) {
                rows.add(Row.parse(commands.readLine()));
            }
        }
        return rows;
    }
}
