// The built-in tools, in a worker that tells a test which contents' decoded texts its searches hold.
import { serveTools, workers } from 'rockpool/serve-tools';
import { ContentIndex, type ContentEntry } from '../../../src/search/index/content-index.ts';

/** All that this worker has read, each in the index that it went to. */
const taken = new Map<ContentEntry, ContentIndex>();

const { take } = ContentIndex.prototype;
ContentIndex.prototype.take = function (entry, bytes) {
  taken.set(entry, this);
  return take.call(this, entry, bytes);
};

const channel = new BroadcastChannel('held-texts');
const worker = crypto.randomUUID();
channel.addEventListener('message', ({ data: { question } }) => {
  if (question === undefined) return;
  const held = [...taken].filter(([{ row }, index]) => index.hasText(row));
  const contents = held.map(([{ content }]) => content);
  channel.postMessage({ answered: question, worker, contents });
});

serveTools(workers);
