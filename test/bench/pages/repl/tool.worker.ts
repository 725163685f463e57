// The tool worker of the Repl bench: the library's own tools, as in a page that has no others. A tool
// beside them that shared the Repl's code would have a bundler cut it into more files.
import { serveTools, workers } from 'rockpool/serve-tools';

serveTools(workers);
