// Remembers for a day which servers support only versions before 2026-07-28. These aren't asked
// about the new version again. Created once per realm, around connect-server.ts.
import { SdkError } from '../../core/errors.ts';
import { connectServer } from './connect-server.ts';
import type { ClientRealm } from './connect-server.ts';
import type { Connect } from './connection.ts';

// A day: by then a server may have been updated.
const keptMs = 24 * 60 * 60 * 1000;

/**
 * Connects like {@link connectServer}. If the browser blocks the request, the older handshake is
 * tried once, because its first request has none of the new headers. A refused preflight looks the
 * same as an outage.
 */
export function createConnect(realm: ClientRealm, now: () => number = Date.now): Connect {
  // Keyed by the whole URL, because one origin may have servers of both kinds.
  const legacySince = new Map<string, number>();
  return async (config, listeners, signal) => {
    const url = 'url' in config ? config.url : undefined;
    const open = async (era: 'auto' | 'legacy') => {
      const connection = await connectServer(config, listeners, signal, realm, era);
      if (url !== undefined && connection.isLegacy && era === 'auto') legacySince.set(url, now());
      return connection;
    };
    const since = url === undefined ? undefined : legacySince.get(url);
    if (url !== undefined && since !== undefined) {
      if (now() - since < keptMs) {
        try {
          return await open('legacy');
        } catch (error) {
          legacySince.delete(url);
          throw error;
        }
      }
      legacySince.delete(url);
    }
    try {
      return await open('auto');
    } catch (error) {
      const isUnreachable = SdkError.isInstance(error) && error.data?.['isUnreachable'] === true;
      if (!isUnreachable || signal.aborted || config.type === 'port') throw error;
      // If that fails too, the first error is more useful.
      return open('legacy').catch(() => Promise.reject(error));
    }
  };
}
