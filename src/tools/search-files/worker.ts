// The body of a host's own search, in a tool worker. Results are sent in packets, so that a search
// with thousands of files costs tens of messages.
import type { WorkContext } from '../../core/tool/handler.ts';
import { searchFiles, type FoundFile } from '../../search/search-files.ts';
import type { SearchableFileSystem } from '../../search/search-service.ts';
import {
  searchFilesInputSchema,
  type SearchFilesInput,
  type SearchFilesOutput,
  type SearchFilesProgress,
} from './schema.ts';

// 50 ms: a reader doesn't see more often that a list has grown.
const packetMs = 50;

export const searchFilesWorker = {
  get inputSchema() {
    return searchFilesInputSchema();
  },
  handler: search,
};

async function search(
  { maxLines, maxFileBytes, timeoutMs, ...query }: SearchFilesInput,
  { fs, signal, progress, startClock }: WorkContext<SearchableFileSystem, SearchFilesProgress>,
): Promise<SearchFilesOutput> {
  startClock();
  let files: FoundFile[] = [];
  let sentAt = -Infinity;
  let reached = { searched: 0, total: 0 };
  const send = () => {
    progress({ files, ...reached });
    files = [];
    sentAt = performance.now();
  };
  try {
    return await searchFiles(fs, query, {
      signal,
      ...(maxLines !== undefined && { maxLines }),
      ...(maxFileBytes !== undefined && { maxFileBytes }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      onFile: (file) => void files.push(file),
      onProgress(searched, total) {
        reached = { searched, total };
        if (performance.now() - sentAt >= packetMs) send();
      },
    });
  } finally {
    // Sent also before an error: the results until then are good.
    send();
  }
}
