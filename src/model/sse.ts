// Decodes server-sent events from bytes, with any chunking, CRLF, LF or CR, and characters that
// chunks cut. The Anthropic client's decoder isn't used: it drops pings and events without a name,
// and ends an aborted stream as if it were complete. read-reply.ts reads every streamed answer with
// it.

export interface ServerSentEvent {
  /** The `event:` field. Null if the server sent none. */
  readonly event: string | null;
  /** The `data:` lines, joined by line feeds. */
  readonly data: string;
}

export interface SseDecoder {
  /**
   * The events that `chunk` completed. An event without its blank line is kept for the next chunk.
   */
  push(chunk: Uint8Array): readonly ServerSentEvent[];
}

/** Creates a decoder for one response. An event that the end of the stream cuts is never given. */
export function createSseDecoder(): SseDecoder {
  const decoder = new TextDecoder();
  /**
   * The text since the last line end, joined only at a line end, because joining each time would be
   * quadratic.
   */
  let pending: string[] = [];
  let endsWithCr = false;
  let event: string | null = null;
  let data: string[] = [];

  function takeLine(line: string): ServerSentEvent | undefined {
    if (line === '') {
      const complete = data.length > 0 ? { event, data: data.join('\n') } : undefined;
      event = null;
      data = [];
      return complete;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    return undefined;
  }

  return {
    push(chunk) {
      const piece = decoder.decode(chunk, { stream: true });
      pending.push(piece);
      if (!endsWithCr && !/[\r\n]/.test(piece)) return [];
      const text = pending.join('');
      const events: ServerSentEvent[] = [];
      const lineEnd = /\r\n|\n|\r/g;
      let start = 0;
      for (let end = lineEnd.exec(text); end; end = lineEnd.exec(text)) {
        // A CR at the end of the chunk may be half of a CRLF; the next chunk decides.
        if (end[0] === '\r' && lineEnd.lastIndex === text.length) break;
        const complete = takeLine(text.slice(start, end.index));
        if (complete) events.push(complete);
        start = lineEnd.lastIndex;
      }
      pending = [text.slice(start)];
      endsWithCr = text.endsWith('\r');
      return events;
    },
  };
}
