import java.io.PrintStream;
import java.util.List;

/** Something that a client can do. */
interface Part {
    /** Does what a command says; its rows, if it had any, and what it prints as the answer. */
    void run(String[] command, List<Row> rows, PrintStream answer) throws Exception;
}
