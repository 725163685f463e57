// A connection's listeners where a test asks for none of what they hear.
import type { ConnectionListeners } from '../../../src/mcp/client/connection.ts';

/** Questions are declined, events ignored. */
export function toListeners(heard: Partial<ConnectionListeners> = {}): ConnectionListeners {
  return {
    abilities: { samples: false, root: '/workspace' },
    onQuestion: () => Promise.reject(new Error('Nobody answers here.')),
    onEvent: () => undefined,
    onOffer: () => undefined,
    onLost: () => undefined,
    ...heard,
  };
}
