import { PlainHeaders } from './plain-headers.ts';

/** Where a streamed answer is written to. */
export interface EventOutlet {
  /** Sends text; a promise where the reader has to catch up first. */
  write(text: string): Promise<void> | undefined;
  /** The answer is complete. */
  end(): void;
}

/** A body that writes itself: all at once, or event by event into an outlet. */
export type AnswerBody = { readonly text: string } | { readonly stream: (outlet: EventOutlet) => void };

/**
 * An answer whose carrier writes it, for the socket: it has what middleware reads and sets of a `Response` (status and
 * headers), and nothing that costs more than the answer itself. Whoever takes it for a whole `Response` still gets its
 * text or its stream from `body`.
 */
export class AnswerResponse {
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly content: AnswerBody;
  readonly bodyUsed = false;

  constructor(content: AnswerBody, headers: Readonly<Record<string, string>>, status = 200) {
    this.content = content;
    this.headers = new PlainHeaders(headers);
    this.status = status;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array> | string {
    const { content } = this;
    return 'text' in content ? content.text : webStream(content.stream);
  }

  /** For frameworks whose types know `Response` only. */
  asResponse(): Response {
    return this as unknown as Response;
  }
}

/** The events as a web stream, for a carrier that knows nothing else. A reader that falls behind stops the writer. */
function webStream(stream: (outlet: EventOutlet) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let resume: (() => void) | null = null;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stream({
        write(text) {
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 1) > 0) return undefined;
          return new Promise((resolve) => {
            resume = resolve;
          });
        },
        end: () => controller.close(),
      });
    },
    pull() {
      resume?.();
      resume = null;
    },
  });
}
