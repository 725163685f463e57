// What a session over a wire does, whatever carries it and wherever both sides are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import type { ConnectOptions, ConnectedSession } from '../../src/wire/connect-session.ts';
import { maxFrameBytes } from '../../src/wire/pieces.ts';
import { wireProtocol } from '../../src/wire/protocol.ts';
import type { WireRole } from '../../src/wire/protocol.ts';
import { isResult, kept, readUntil, texts } from '../support/sessions/open-sessions.ts';

/** A session that is served: new, with the model of wire-model.ts, which asks before it writes. */
export interface WireSubject {
  /** A ticket for that role. */
  ticket(role: WireRole): Promise<string>;
  connect(
    options: Partial<ConnectOptions> & Pick<ConnectOptions, 'ticket'>,
  ): Promise<ConnectedSession>;
  /** A connection without a client. */
  openRaw(protocols: readonly string[]): Promise<RawConnection>;
  /** Cuts all connections, as a network does. */
  cut(): Promise<void>;
  /** Lets a slow reply go on. */
  release(): Promise<void>;
  close(): Promise<void>;
}

/** Frames, as they are. */
export interface RawConnection {
  send(frame: string | Uint8Array<ArrayBuffer>): void;
  /** Resolves when the server has closed it, with the last text that it sent before. */
  readonly closed: Promise<{ readonly code: number; readonly last: string }>;
}

/** For what crosses in several windows. */
const long = { timeout: 240_000 };

type Question = ReturnType<ConnectedSession['questions']>[number];

/** Of a session that two clients follow: all messages of one of them. */
const collect = (session: ConnectedSession) => {
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of session.messages()) told.push(message);
  })();
  return told;
};

const questionOf = async (session: ConnectedSession): Promise<Question> => {
  await expect.poll(() => session.questions().length).toBeGreaterThan(0);
  return session.questions()[0] as Question;
};

/** `floods`: frames can be sent faster than the server takes them. */
export function wireContract(
  name: string,
  open: () => Promise<WireSubject>,
  { floods = true } = {},
): void {
  describe(`a session over ${name}`, () => {
    let subject: WireSubject;
    const clients: ConnectedSession[] = [];

    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => {
      for (const client of clients) await client.close();
      await subject.close();
    });

    const connect = async (role: WireRole = 'owner', options: Partial<ConnectOptions> = {}) => {
      const session = await subject.connect({ ticket: () => subject.ticket(role), ...options });
      clients.push(session);
      return session;
    };

    it('takes a prompt and tells all who are connected of it, with the same messages', async () => {
      const owner = await connect();
      const viewer = await connect('views');
      const told = collect(viewer);
      const sent = await owner.send('Hello.');
      expect(sent).toEqual({ uuid: expect.any(String) as string, n: expect.any(Number) as number });
      const read = await readUntil(owner, isResult);
      expect(read[0]).toMatchObject({ type: 'system', subtype: 'init', session_id: owner.id });
      expect(texts(read)).toEqual(['user: Hello.', 'assistant: Hello.']);
      await expect.poll(() => kept(told)).toEqual(kept(read));
      expect([owner.role(), owner.access(), viewer.access()]).toEqual(['viewer', 'owner', 'views']);
      const message = { role: 'user', content: 'Hello.' } as const;
      const again = { type: 'user', uuid: sent.uuid, message, parent_tool_use_id: null } as const;
      expect(await owner.send(again)).toEqual({ ...sent, isRepeated: true });
      const unanswered = { ...again, uuid: 'later', shouldQuery: false } as const;
      await expect(owner.send(unanswered)).rejects.toThrow(
        'shouldQuery: false, which an iterable of query alone takes',
      );
    });

    it('gives a client that knows the first messages the rest, and each once over lost connections', async () => {
      const owner = await connect();
      const told = collect(owner);
      await expect.poll(() => texts(told)).toEqual(['user: Hello.', 'assistant: Hello.']);
      const half = kept(told)[0]?.n ?? 0;
      const late = await connect('views', { after: half });
      const all = kept(told);
      const rest = await readUntil(late, ({ n }) => n === all.at(-1)?.n);
      expect(kept(rest)).toEqual(all.filter(({ n = 0 }) => n > half));
      for (const word of ['One.', 'Two.']) {
        await subject.cut();
        // Asked while no connection is open: it is sent when there is one.
        await owner.send(word);
        await expect.poll(() => texts(told).at(-1)).toBe(`assistant: ${word}`);
      }
      await expect.poll(() => told.filter(isResult).length).toBe(3);
      const numbers = kept(told).map(({ n, uuid }) => `${n} ${uuid}`);
      expect(new Set(numbers).size).toBe(numbers.length);
      const fresh = await connect('views');
      const last = kept(told).at(-1)?.uuid;
      expect(kept(await readUntil(fresh, ({ uuid }) => uuid === last))).toEqual(kept(told));
    });

    it('tells a reply as it comes in few messages, and whoever comes late what it has by then', async () => {
      const owner = await connect();
      const told = collect(owner);
      await owner.send('slow');
      const words = (messages: readonly SDKMessage[]) =>
        messages.flatMap((message) => {
          if (message.type !== 'stream_event') return [];
          const { event } = message;
          return event.type === 'content_block_delta' ? [String(event.delta['text'])] : [];
        });
      const half = 'slowly '.repeat(99);
      await expect.poll(() => words(told).join('')).toBe(half);
      expect(words(told).length).toBeLessThan(20);
      const late = await connect('views');
      const heard = collect(late);
      await expect.poll(() => words(heard)).toEqual([half]);
      await subject.release();
      await expect.poll(() => texts(heard).at(-1)).not.toBe('user: slow');
      await expect.poll(() => texts(told).at(-1)).toBe(texts(heard).at(-1));
      const whole = 'slowly '.repeat(100);
      expect(texts(heard).at(-1)).toBe(`assistant: ${whole}`);
      expect([words(told).join(''), words(heard).join('')]).toEqual([whole, whole]);
    });

    it('is at work once a prompt is taken, until its turn has ended', async () => {
      const owner = await connect();
      const told = collect(owner);
      for (let round = 1; round <= 3; round += 1) {
        await owner.send('Quick.');
        // Taken while the turn before it runs, or has just ended.
        const { n } = await owner.send('slow');
        const states = new Set([owner.state()]);
        const isStreaming = (message: SDKMessage) => {
          states.add(owner.state());
          return message.type === 'stream_event' && told.some((one) => (one.n ?? 0) > n);
        };
        await readUntil(owner, isStreaming, n);
        expect([...states]).toEqual(['running']);
        await owner.interrupt();
        await expect.poll(() => owner.state()).toBe('idle');
      }
    });

    it('stops a turn, names its commands, compacts, rewinds and undoes, and is not forked', async () => {
      const owner = await connect();
      const told = collect(owner);
      await owner.send('slow');
      await expect.poll(() => owner.state()).toBe('running');
      await expect.poll(() => told.at(-1)?.type).toBe('stream_event');
      await owner.interrupt();
      await expect.poll(() => owner.state()).toBe('idle');
      expect((await owner.supportedCommands()).map((command) => command.name)).toContain('compact');
      expect(await owner.supportedAgents()).not.toEqual([]);
      expect((await owner.getContextUsage()).totalTokens).toBeGreaterThan(0);
      expect(await owner.skills()).toMatchObject({});
      await expect(owner.setPermissionMode('any' as never)).rejects.toThrow('any');
      const { uuid } = await owner.send('Forget this.');
      await expect.poll(() => texts(told).at(-1)).toBe('assistant: Forget this.');
      const mistyped = owner.rewind(uuid, { dryrun: true } as never);
      await expect(mistyped).rejects.toMatchObject({ code: 'bad-usage' });
      const would = await owner.rewind(uuid, { dryRun: true });
      expect(would).toMatchObject({ changes: [], kept: [] });
      expect(await owner.rewind(uuid)).toHaveProperty('n');
      expect(await owner.undo()).toHaveProperty('n');
      await expect(owner.rewind('nobody')).rejects.toMatchObject({ code: 'bad-usage' });
      await expect(owner.compact()).rejects.toThrow('There is nothing to sum up yet');
      await expect(owner.setModel(undefined as never)).rejects.toThrow('an object of its server');
      await expect(owner.fork({ title: 'Copy' })).rejects.toMatchObject({
        code: 'bad-usage',
        message: expect.stringContaining(
          'Fetch the session with bringBack, fork it here',
        ) as string,
      });
      await expect(owner.stopTask('none')).rejects.toThrow('none');
    });

    it('takes settings of its owner, and never its rules', async () => {
      const [owner, answers] = await Promise.all([connect(), connect('answers')]);
      await owner.applyFlagSettings({ effortLevel: 'high' });
      const refused = { code: 'permission-denied' };
      await expect(owner.applyFlagSettings({ permissions: null })).rejects.toMatchObject(refused);
      await expect(answers.applyFlagSettings({ effortLevel: null })).rejects.toMatchObject(refused);
      await expect(owner.applyFlagSettings({ model: 'none' })).rejects.toThrow('named "none"');
    });

    it('asks everywhere and takes the answer of whoever may give one', async () => {
      const withdrawn: string[] = [];
      const offered: unknown[] = [];
      const owner = await connect('owner', {
        canUseTool: (_tool, _input, { requestId, signal, suggestions, asAsked }) => {
          signal.addEventListener('abort', () => void withdrawn.push(requestId));
          offered.push(['owner', suggestions?.length, asAsked]);
          return Promise.resolve(null);
        },
      });
      const answering = await connect('answers', {
        canUseTool: (_tool, _input, { suggestions, asAsked }) => {
          offered.push(['answers', suggestions?.length, asAsked]);
          return Promise.resolve(null);
        },
      });
      const viewer = await connect('views');
      const files = await viewer.followFiles();
      await owner.send('write first');
      const { requestId, toolName } = await questionOf(answering);
      expect([toolName, answering.state()]).toEqual(['Write', 'requires_action']);
      // What would be refused isn't offered.
      await expect.poll(() => offered.length).toBe(2);
      expect(offered.toSorted()).toEqual([
        ['answers', undefined, true],
        ['owner', 1, undefined],
      ]);
      const late = await connect('views');
      expect([late.state(), late.questions().length]).toEqual(['requires_action', 1]);
      await late.close();
      const allow = { behavior: 'allow' } as const;
      await expect(viewer.answer(requestId, allow)).rejects.toThrow(
        'Whoever is connected as "views" may not ask for answer.',
      );
      await expect(viewer.send('Me too.')).rejects.toMatchObject({ code: 'permission-denied' });
      await expect(answering.send('Me too.')).rejects.toMatchObject({ code: 'permission-denied' });
      await expect(answering.answer('nobody', allow)).rejects.toThrow(
        'No question nobody waits for an answer',
      );
      const rule = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' } as const;
      await expect(
        answering.answer(requestId, { ...allow, updatedPermissions: [rule] }),
      ).rejects.toThrow('may not set rules');
      // Another file than the one that was asked about, and a field more.
      const input = { file_path: '/workspace/a.txt', content: 'first' };
      for (const change of [{ file_path: '/workspace/b.txt' }, { mode: 'bypassPermissions' }]) {
        const updatedInput = { ...input, ...change };
        await expect(answering.answer(requestId, { ...allow, updatedInput })).rejects.toThrow(
          'may not change the input',
        );
      }
      await expect(owner.answer(requestId, 'yes' as never)).rejects.toThrow(
        "isn't asked for answer with",
      );
      await answering.answer(requestId, { ...allow, updatedInput: input });
      await expect.poll(() => owner.state()).toBe('idle');
      expect(withdrawn).toEqual([requestId]);
      // Files follow by a stream of their own.
      await expect
        .poll(() => files.fs.readFile('/workspace/a.txt', 'utf8').catch(() => ''))
        .toBe('first');
      await expect(owner.answer(requestId, allow)).rejects.toMatchObject({ code: 'bad-usage' });
    });

    it('shows the files as they are, and takes a change of its owner', async () => {
      const owner = await connect();
      const viewer = await connect('views');
      const [files, seen] = [await owner.followFiles(), await viewer.followFiles()];
      const paths: string[] = [];
      seen.onChange(({ changes }) => void paths.push(...changes.map(({ path }) => path)));
      await files.fs.writeFile('/workspace/b.txt', 'by hand');
      expect(await files.fs.readFile('/workspace/b.txt', 'utf8')).toBe('by hand');
      await expect.poll(() => paths).toEqual(['/workspace/b.txt']);
      expect(await seen.fs.readFile('/workspace/b.txt', 'utf8')).toBe('by hand');
      const stale = { path: '/workspace/b.txt', baseVersion: 0, mode: 0o644, mtimeMs: 0 };
      const changes = [{ type: 'write', ...stale, content: new Uint8Array() } as const];
      await expect(
        files.commit({ baseSeq: files.seq(), changes }, { author: { kind: 'user' } }),
      ).rejects.toMatchObject({ code: 'ECONFLICT' });
      await expect(seen.fs.writeFile('/workspace/b.txt', 'mine')).rejects.toThrow(
        'may not ask for commit',
      );
      await subject.cut();
      // More than a frame, and than a record brings by itself.
      const large = new Uint8Array(2.2 * maxFrameBytes).fill(7);
      await files.fs.writeFile('/workspace/large.bin', large);
      const hash = await files.treeHash();
      await expect.poll(() => seen.treeHash()).toBe(hash);
    });

    it('sends on what a client says of its prompt: no command, and at once', async () => {
      const owner = await connect();
      const message = { role: 'user', content: '/cost' } as const;
      const prompt = { type: 'user', message, parent_tool_use_id: null } as const;
      const isReply = ({ type }: SDKMessage) => type === 'assistant';
      const { n } = await owner.send({ ...prompt, client_composed: true });
      expect(texts(await readUntil(owner, isResult, n)).at(-1)).toBe('assistant: /cost');
      const slow = await owner.send('slow');
      await readUntil(owner, ({ type }) => type === 'stream_event', slow.n);
      const last = await owner.send({ ...prompt, client_composed: true, priority: 'now' });
      expect(texts(await readUntil(owner, isResult, last.n)).at(-1)).not.toBe('assistant: /cost');
      expect(texts(await readUntil(owner, isReply, last.n + 1)).at(-1)).toBe('assistant: /cost');
    });

    it('tells a long history while its owner asks, and each message of it once', async () => {
      for (const client of clients.splice(0)) await client.close();
      const owner = await connect();
      // More than a client is sent ahead: a prompt, and the same again as its answer.
      for (const letter of 'ab') {
        const { n } = await owner.send(letter.repeat(700_000));
        await readUntil(owner, isResult, n);
      }
      const fresh = await connect();
      const told = collect(fresh);
      await fresh.send('While it is told.');
      await expect.poll(() => texts(told).at(-1), long).toBe('assistant: While it is told.');
      const numbers = kept(told).map((message) => message.n ?? 0);
      expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
      expect(new Set(kept(told).map(({ uuid }) => uuid)).size).toBe(numbers.length);
      expect(texts(told).filter((text) => text.length > 700_000)).toHaveLength(4);
      expect(fresh.connection()).toBe('open');
    });

    it('tells a client all anew that begins after what there is', async () => {
      const late = await connect('views', { after: 1_000_000 });
      const told = await readUntil(late, ({ n }) => n !== undefined, 1_000_000);
      expect(told.slice(0, 3)).toMatchObject([
        { type: 'conversation_reset', trigger: 'replaced', new_conversation_id: late.id },
        { type: 'system', subtype: 'init', session_id: late.id },
        { type: 'system', subtype: 'session_role_changed', role: 'viewer' },
      ]);
      expect(texts(told)).toEqual(['user: Hello.']);
    });

    const version = `rockpool-ticket.${'0'.repeat(64)}`;
    it.each<[string, () => Promise<string>, string]>([
      ['a forged ticket', async () => '0'.repeat(64), "isn't one of this session's"],
      [
        'a ticket that was used',
        async () => {
          const ticket = await subject.ticket('views');
          clients.push(await subject.connect({ ticket }));
          return ticket;
        },
        'This ticket was used before',
      ],
    ])('refuses %s with a sentence', async (_name, ticket, sentence) => {
      await expect(subject.connect({ ticket: await ticket() })).rejects.toMatchObject({
        code: 'permission-denied',
        message: expect.stringContaining(sentence) as string,
      });
    });

    it('tells a client of another version which one it needs', async () => {
      const { closed } = await subject.openRaw(['rockpool-wire-0', version]);
      expect(await closed).toMatchObject({
        code: 4426,
        last: expect.stringContaining(
          `This client speaks rockpool-wire-0 and the session`,
        ) as string,
      });
    });

    const hello = JSON.stringify({ type: 'hello', protocol: wireProtocol, after: 0 });
    const request = '{"type":"request","id":"1","method":"none","parameters":[]}';
    it.each<[string, readonly (string | Uint8Array<ArrayBuffer>)[], string]>([
      ['garbage', ['{"type":'], 'is no message'],
      ['a second hello', [hello, hello], 'has one hello'],
      ['bytes that are no piece', [new Uint8Array([9, 9, 9])], 'is no message'],
      [
        'a request before its hello',
        ['{"type":"follow"}'],
        'The first message of a connection is a hello',
      ],
      [
        'a hello of no number',
        ['{"type":"hello","protocol":"x","after":-1}'],
        'Refused \\"hello\\"',
      ],
      ['a frame that is too large', [' '.repeat(maxFrameBytes + 1)], 'at most 1048576 bytes'],
      [
        'a message without an end',
        Array.from({ length: 9 }, () => new Uint8Array(maxFrameBytes).fill(1, 0, 1)),
        'at most 8388608 bytes',
      ],
    ])(
      'closes a connection that sends %s, says why, and lives on',
      async (_name, frames, sentence) => {
        const ticket = await subject.ticket('owner');
        const raw = await subject.openRaw([wireProtocol, `rockpool-ticket.${ticket}`]);
        for (const frame of frames) raw.send(frame);
        const { code, last } = await raw.closed;
        expect([code, last]).toEqual([1008, expect.stringContaining(sentence)]);
        const owner = await connect('views');
        expect(owner.connection()).toBe('open');
      },
    );

    it.runIf(floods)('closes a connection that sends 2 000 frames at once', async () => {
      const ticket = await subject.ticket('owner');
      const raw = await subject.openRaw([wireProtocol, `rockpool-ticket.${ticket}`]);
      for (const frame of [hello, ...Array.from({ length: 2_000 }, () => request)]) raw.send(frame);
      const sentence = expect.stringContaining('more than 50 messages a second') as string;
      expect(await raw.closed).toEqual({ code: 1008, last: sentence });
      expect((await connect('views')).connection()).toBe('open');
    });
  });
}
