// Compaction frees the bytes of overwritten and removed files. The live contents of segments that
// are mostly dead are copied to the log's end in pieces. Then these segments are removed.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { NewContent } from '../state/record.ts';
import type { WorkspaceState } from '../state/state.ts';
import { addPlaces } from './content-places.ts';
import { keptContents } from '../state/live-contents.ts';
import type { LogContents } from './log-contents.ts';
import type { LogSegments } from './log-segments.ts';
import { encodeMoves } from './record-codec.ts';
import type { SealedSegment } from './recover.ts';

/** 32 bytes of overhead for each content, so that many empty files don't count as dead bytes. */
export const contentOverheadBytes = 32;

/** One compaction: from the choice of segments until they contain nothing needed. */
export class Compaction {
  readonly #segments: LogSegments;
  readonly #contents: LogContents;
  readonly #victims: ReadonlySet<string>;
  readonly #pieceBytes: number;
  #waiting: ContentId[] = [];

  constructor(
    log: { readonly segments: LogSegments; readonly contents: LogContents },
    victims: ReadonlySet<string>,
    pieceBytes: number,
  ) {
    this.#segments = log.segments;
    this.#contents = log.contents;
    this.#victims = victims;
    this.#pieceBytes = pieceBytes;
  }

  /** Copies one piece. Returns false if nothing was left to copy. */
  async copyPiece(state: WorkspaceState): Promise<boolean> {
    if (this.#waiting.length === 0) this.#waiting = this.#contentsOfVictims(state);
    if (this.#waiting.length === 0) return false;
    const piece = await this.#readPiece();
    if (piece.length === 0) return true;
    const { bytes, contents } = encodeMoves(state.seq, piece);
    const { segment, offset } = await this.#segments.append(bytes, 'process');
    addPlaces(this.#contents.places, contents, { segment, start: offset });
    return true;
  }

  async #readPiece(): Promise<NewContent[]> {
    const piece: NewContent[] = [];
    let bytes = 0;
    while (bytes < this.#pieceBytes) {
      const contentId = this.#waiting.pop();
      if (contentId === undefined) break;
      try {
        const content = await this.#contents.read(contentId);
        piece.push({ contentId, bytes: content });
        bytes += content.length + contentOverheadBytes;
      } catch (error) {
        // The content is damaged and counts as lost from now on. Its bytes stay where they are for
        // a later repair.
        if (!SdkError.isInstance(error) || !this.#contents.lost.has(contentId)) throw error;
      }
    }
    return piece;
  }

  /** In reverse order of the log, because elements are taken from the end. */
  #contentsOfVictims(state: WorkspaceState): ContentId[] {
    const { places, lost } = this.#contents;
    const contentIds = [...keptContents(state).keys()].filter(
      (contentId) =>
        this.#victims.has(places.get(contentId)?.segment ?? '') && !lost.has(contentId),
    );
    return contentIds.sort((left, right) => right - left);
  }
}

/** Returns segments of which at least a third is dead, and small ones if there are many. */
export function chooseVictims(
  segments: LogSegments,
  liveBytes: ReadonlyMap<string, number>,
  smallBytes: number,
): Set<string> {
  const victims = segments.sealed.filter(
    (segment) => segment.length < smallBytes || isWorthIt(segment, liveBytes),
  );
  return new Set(victims.map(({ name }) => name));
}

/**
 * Returns the sealed segment whose removal needs the least space for copies, or undefined if none
 * is a third dead.
 */
export function chooseVictim(
  segments: LogSegments,
  liveBytes: ReadonlyMap<string, number>,
): string | undefined {
  const liveOf = ({ name }: SealedSegment) => liveBytes.get(name) ?? 0;
  const [victim] = segments.sealed
    .filter((segment) => segment.file && isWorthIt(segment, liveBytes))
    .sort((left, right) => liveOf(left) - liveOf(right) || right.length - left.length);
  return victim?.name;
}

function isWorthIt(
  { name, length }: Pick<SealedSegment, 'name' | 'length'>,
  liveBytes: ReadonlyMap<string, number>,
): boolean {
  return (liveBytes.get(name) ?? 0) * 3 < length * 2;
}
