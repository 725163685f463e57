// One pack of a repository with its index: finds objects and resolves their deltas. Both files are
// parsed once in the life of the object store.
import { applyDelta } from './apply-delta.ts';
import { BaseCache } from './base-cache.ts';
import { toOid, type ObjectType } from './oid.ts';
import { damaged, inflateEntry, maxObjectBytes, readPackEntry } from './pack-entry.ts';
import { PackIndex } from './pack-index.ts';

/** An object. `bytes` are shared with the store and must not be changed. */
export interface GitObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array;
}

// 24 MB: deltas in a clone's checkout use bases that are close to each other.
const cacheBytes = 25_165_824;

/** Reads objects by their offsets in the pack. */
export class Pack {
  readonly index: PackIndex;
  readonly #bytes: Uint8Array;
  readonly #bases = new BaseCache<GitObject>(cacheBytes);

  /** Keeps both arrays. @throws SdkError `EIO` if they don't belong to one pack */
  constructor(bytes: Uint8Array, indexBytes: Uint8Array) {
    this.#bytes = bytes;
    this.index = new PackIndex(indexBytes);
    const end = indexBytes.length - 40;
    if (bytes.length < 32 || toOid(bytes, bytes.length - 20) !== toOid(indexBytes, end)) {
      throw damaged('its index belongs to another pack');
    }
  }

  /**
   * Returns the object whose entry begins at `offset`. `external` returns the base of a delta that
   * names an object of another pack.
   *
   * @throws SdkError `EIO`, `limit-exceeded`
   */
  readAt(offset: number, external: (oid: string) => GitObject): GitObject {
    // Follows the deltas to the first whole base, then applies all deltas in reverse order.
    const deltas: { readonly offset: number; readonly delta: Uint8Array }[] = [];
    let at = offset;
    let object = this.#bases.get(at);
    while (!object) {
      const entry = readPackEntry(this.#bytes, at);
      const bytes = inflateEntry(this.#bytes, entry);
      if (entry.type !== 'offset-delta' && entry.type !== 'oid-delta') {
        object = { type: entry.type, bytes };
        if (deltas.length > 0) this.#bases.set(at, object);
        break;
      }
      deltas.push({ offset: at, delta: bytes });
      // 10 000: real packs have chains of 50 at most. A cycle would never end.
      if (deltas.length > 10_000) throw damaged('its deltas go in a circle');
      const base = entry.type === 'offset-delta' ? entry.base : this.index.offsetOf(entry.base);
      if (base === undefined) {
        object = external(entry.base as string);
        break;
      }
      at = base;
      object = this.#bases.get(at);
    }
    for (let last = deltas.pop(); last; last = deltas.pop()) {
      const { offset: place, delta } = last;
      object = { type: object.type, bytes: applyDelta(object.bytes, delta, maxObjectBytes) };
      if (deltas.length > 0) this.#bases.set(place, object);
    }
    return object;
  }
}
