// What the metrics of the Grep bench are: what is in each figure and what isn't.
import { corpusName } from './corpus.ts';
import { queries } from './queries.ts';

export const notes: readonly string[] = [
  `Corpus: the sources (.ts .js .md .json .css .html below 1 MB, nothing minified) of ${corpusName}.`,
  `${queries.length} queries, from a name that is there once to what is in each file. A figure is what ` +
    'ripgrep takes by what we take: median of 3 rounds each, in turn; over the queries the median ' +
    'and the least. ripgrep is the one of this machine, on as many threads as it likes, started from ' +
    'a small process, its output read through a pipe, its files in the system’s cache.',
  'files_*: names of all files that match. limited_*: content with head_limit 250; ripgrep has no ' +
    'limit over all files and prints all. count_*: matches by file. unlimited_*: all matching lines.',
  'Ours without a prefix is Chromium: from the call on the page to the reply on the page, the text ' +
    'included, with a tool worker that has searched before. node_*: the tool’s body in Node over a ' +
    'workspace in memory, on one thread.',
  'Most of what is won is the walk and the opening of files, which ripgrep must do each time and a ' +
    'workspace that is in memory need not; the index does the rest.',
  'vs_just_bash: `rg -l` of just-bash over its InMemoryFs by ours, in Node, over the first 1,000 ' +
    'files; median of 5 queries: just-bash once each, ours warm, the median of 5. The answers are not ' +
    'compared.',
  'index_*: in a worker of the page. index_share: bitmaps by bytes of text. index_mb_s: finding the ' +
    'trigrams and writing the bitmaps; take_mb_s: with classifying and decoding. update_p95_ms: all ' +
    'of that for one new content; the write itself, its event and the list of files are not in it.',
  'reopen_index_ms: in Chromium, the first Grep of a workspace that was opened again, whose worker has ' +
    'read one file: the list of files, and the index that was saved. rebuild_index_ms: the same without ' +
    'that file, so all contents are read and indexed. Median of 3 each, in turn.',
  'search_mb: what Node’s heap and its buffers hold more after every query than before the first: ' +
    'bitmaps, decoded texts, the list of files. Texts are at most 96 MB of it.',
  'files_median_3k and files_median_30k: the files_median over the first 3,000 files, and over the ' +
    'corpus and a copy of it, in Node, one round; a copy has the same bytes, and its answers are not ' +
    'compared. These two, search_mb and vs_just_bash are Node’s figures.',
];
