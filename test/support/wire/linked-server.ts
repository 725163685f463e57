// A client's socket to a session's server of the same realm, and a virtual clock that lets both sides work.
import type { VirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import type { ClientSocket, SessionServer } from '../../../src/wire/serve-session.ts';

/** In steps of a second, with room for what each sets off. */
export async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1000);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A client's socket to that server. `arrives`: asked of each frame to the client. */
export function linkTo(
  server: SessionServer,
  arrives: (frame: unknown) => boolean = () => true,
  role: WireRole = 'owner',
) {
  const listeners: Record<string, ((event: { data: unknown }) => void)[]> = {};
  const tell = (type: string, data?: unknown) =>
    queueMicrotask(() => (listeners[type] ?? []).forEach((one) => one({ data })));
  const far: ClientSocket = {
    send: (frame) => arrives(frame) && tell('message', frame),
    close: () => tell('close'),
  };
  server.join(far, { owner: 'ann', role });
  const socket = {
    readyState: 1,
    binaryType: '',
    send: (data: string) => void server.receive(far, data),
    close: () => server.leave(far),
    addEventListener: (type: string, listener: never) =>
      void (listeners[type] ??= []).push(listener),
  } as never;
  return {
    socket,
    cut() {
      server.leave(far);
      tell('close');
    },
  };
}
