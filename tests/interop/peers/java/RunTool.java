import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.utils.Exit;
import org.slf4j.LoggerFactory;

/**
 * tool CLASS ARGUMENTS: a command-line program of Kafka's, without a Java of its own. Answers with
 * what it prints, on both outputs in one, a | before each line; last the code it ends with, if not 0.
 */
final class RunTool implements Part {
    /** Thrown where the program would end; some of them catch it, and print that something failed. */
    private static final class Ended extends Error {
        private static final long serialVersionUID = 1;
    }

    private ByteArrayOutputStream printed;
    private String text;
    private int code;

    RunTool() {
        LoggerFactory.getLogger(RunTool.class); // keeps the output that it finds at its start
        Exit.setExitProcedure(
                (code, message) -> {
                    end(code);
                    throw new Ended();
                });
    }

    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        PrintStream out = System.out;
        PrintStream errors = System.err;
        printed = new ByteArrayOutputStream();
        text = null;
        PrintStream both = new PrintStream(printed, true, "US-ASCII");
        System.setOut(both);
        System.setErr(both);
        try {
            call(command[1], Arrays.copyOfRange(command, 2, command.length));
            end(0);
        } finally {
            System.setOut(out);
            System.setErr(errors);
        }
        for (String line : text.split("\n")) {
            answer.println("|" + line);
        }
        if (code != 0) {
            answer.println("ended with " + code);
        }
    }

    /** What counts is what was printed until it was to end for the first time. */
    private void end(int code) {
        if (text == null) {
            text = new String(printed.toByteArray(), StandardCharsets.US_ASCII);
            this.code = code;
        }
    }

    private static void call(String name, String[] arguments) throws Exception {
        Object given = arguments;
        try {
            Class.forName(name).getMethod("main", String[].class).invoke(null, given);
        } catch (InvocationTargetException failure) {
            if (!(failure.getCause() instanceof Ended)) {
                throw failure;
            }
        }
    }
}
