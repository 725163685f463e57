// Makes the Workspace that hosts hold from a writer, together with views for calls on the same
// thread.
import type { WorkspaceAddress } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { PathAccess } from '../../core/access/path-access.ts';
import { createContentEra, type ContentEra } from '../state/content-era.ts';
import { createDraftView } from '../draft/draft-view.ts';
import { liveContents } from '../state/live-contents.ts';
import { shownRootOf } from '../state/session-roots.ts';
import type { ViewSource, WorkspaceView } from '../draft/view.ts';
import type { Workspace } from '../workspace.ts';
import { createViewlessWorkspace } from './viewless-workspace.ts';
import type { WriterPort } from './writer-port.ts';

/** Owns the writer: disposing the workspace closes it. */
export function createWriterWorkspace(writer: WriterPort): Workspace & ViewSource {
  let ending = new AbortController();
  let era = beginEra();
  const forgetting = writer.onJump?.(() => {
    // A new era. Open views keep theirs, in which content ids keep their meaning.
    ending.abort();
    ending = new AbortController();
    era = beginEra();
  });
  function beginEra(): ContentEra {
    const { signal } = ending;
    const era = createContentEra(signal, () =>
      signal.aborted ? new Map() : liveContents(writer.state),
    );
    // A writer that jumps may have another log by now, whose content ids mean other contents.
    // Memory keeps no index.
    const { contents } = writer;
    const { savedIndex, saveIndex } = contents;
    if (writer.onJump || !writer.info().isPersistent || !savedIndex || !saveIndex) return era;
    let isTaken = false;
    return {
      ...era,
      takeIndex() {
        if (isTaken) return undefined;
        isTaken = true;
        return savedIndex.call(contents);
      },
      saveIndex: (index) => saveIndex.call(contents, index),
    };
  }
  return {
    ...createViewlessWorkspace(writer),
    openView: async (address, access) => openWriterView(writer, era, address, access),
    [Symbol.asyncDispose]: () => {
      forgetting?.[Symbol.dispose]();
      ending.abort();
      return writer.close();
    },
  };
}

function openWriterView(
  writer: WriterPort,
  era: ContentEra,
  address: WorkspaceAddress,
  access: PathAccess,
): WorkspaceView {
  if (address.minSeq > writer.seq) {
    // On the writer's own thread no record is ever in flight: such a number was never acknowledged.
    throw new SdkError(
      'invalid-input',
      `Record ${address.minSeq} doesn't exist; the workspace is at ${writer.seq}.`,
      { data: { minSeq: address.minSeq, seq: writer.seq } },
    );
  }
  return createDraftView({
    root: shownRootOf(writer.state, address.root),
    seq: writer.seq,
    contents: writer.contents,
    access,
    era,
  });
}
