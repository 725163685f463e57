// What the metrics of the turn bench are, for whoever reads the figures.
import { corpus, waitMs } from './scenarios.ts';

export const notes: readonly string[] = [
  'A run is a conversation with one prompt in one Chromium page: the contenders take turns, each ' +
    'through its own client and loop, over the same Messages stream from the loopback. _fast: the ' +
    'whole reply at once; _slow: 40 tokens a second. Medians of nine runs, of five (task_fast), three ' +
    '(io_slow), two (cpu) or one (cpu_short_slow). Before cpu_short, mixed and task each has had three ' +
    'runs that are not counted, and one before io.',
  `Peers: the Anthropic client's toolRunner, with and without runToolsEagerly; ai's ToolLoopAgent; ` +
    "@tanstack/ai's chat; pi-agent-core's Agent with parallel tools. Their tools are Rockpool's own " +
    'handlers over a workspace in memory, called on the page, as these SDKs call tools; Rockpool runs ' +
    'them in its workers over a workspace in OPFS, with its permission rules in force.',
  `io: eight calls of a tool that waits ${waitMs} ms. cpu: three Greps and a Read over ${corpus.files} ` +
    'files of 18 MB, and four cells that compute for almost three seconds each. cpu_short: three Greps, two Reads ' +
    'and three cells that compute for a tenth of a second. mixed: a Read, then three Reads, an Edit and ' +
    'three Reads. task: twelve turns of one or two calls.',
  'vs_best_peer_*: the median of the fastest peer by ours; of io and cpu the lower one of both speeds. ' +
    'slowest_call_ratio: io_fast in a pool of eight workers, by the time that one of its calls waits.',
  '*_stream_ms: how long a reply streams, read by somebody who does nothing else. No turn ends before it, ' +
    'so vs_best_peer_*_slow can be no more than vs_best_peer_*_slow_limit: the best peer by that time.',
  'cpu_short at 40 tokens a second is bound by its stream and not by the CPU: its calls take half a ' +
    'second and its reply four, so whoever starts calls while the stream comes has nothing left to do ' +
    'after it, on one thread or on many. vs_best_peer_cpu is of the turn whose calls take three times as ' +
    'long as their reply streams; before there was that one it was of what is cpu_short now. With cells ' +
    'of two seconds it was 1.60 and 1.65 at 40 tokens a second: the last of them comes when half of the ' +
    'work is done, and is alone at the end.',
  'cpu and cpu_short tell of two free cores: what else runs on the machine takes from whoever uses both.',
  'A run is refused where a call has no result, an error, or another text than any other contender has ' +
    '(its first 500 characters: Rockpool shortens long ones), ' +
    "and where the model's last reply wasn't asked for. Texts of mixed and task aren't compared: the peers " +
    'run an edit beside the reads around it.',
  "abort_ms: from the host's abort on the page to the end of the innermost loop of a call in a worker, " +
    'which looks at its signal once a task; the median of nine.',
  'main_thread_blocked_ms: the longest time in which the page could do nothing during a cpu_fast run, ' +
    'by a heartbeat of 5 ms.',
];
