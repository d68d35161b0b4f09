import { AppError, toAppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { AnswerSink } from '../../engine/answer.ts';
import type { AnswerWriter, HeaderFields } from '../../http/exchange.ts';
import { keepAlive as comment, eventsFor, getHeaders, type StreamTimes } from './stream-events.ts';
import type { RoutePart, StreamWriter } from './stream-writer.ts';

interface StreamEnd {
  open(status: number, headers: HeaderFields): AnswerWriter;
}

/**
 * Streams an answer as server-sent events: each part is written by whoever made it. Nothing is sent before the first part, at
 * most `holdMs`: until then a failure is thrown and becomes a real HTTP status (wire contract §1.4.1). Resolves once the
 * status line is out. Comments are sent wherever there is silence for too long (§1.4.2).
 */
export function streamAnswer(
  answer: (reader: AnswerSink) => void,
  end: StreamEnd,
  writer: StreamWriter,
  warnings: readonly Warning[],
  times: StreamTimes,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { keepAlive = comment } = writer;
    let answerWriter: AnswerWriter | null = null;
    let over = false;
    let quiet: NodeJS.Timeout | undefined;
    const hold = setTimeout(() => void begin(null).write(keepAlive), times.holdMs);

    function begin(route: RoutePart | null): AnswerWriter {
      clearTimeout(hold);
      const opened = end.open(200, getHeaders(route, warnings));
      answerWriter = opened;
      quiet = setInterval(() => void opened.write(keepAlive), times.keepAliveMs);
      resolve();
      return opened;
    }

    function close(opened: AnswerWriter, text: string): Promise<void> | undefined {
      over = true;
      clearInterval(quiet);
      const waits = opened.write(text);
      opened.end();
      return waits;
    }

    function fail(error: unknown): void {
      if (over) return;
      if (answerWriter) return void close(answerWriter, writer.failure(toAppError(error)));
      over = true;
      clearTimeout(hold);
      reject(error);
    }

    answer({
      take(parts) {
        if (over) return undefined;
        const [first] = parts;
        const opened = answerWriter ?? begin(first?.type === 'route' ? first : null);
        const text = eventsFor(parts, writer);
        if (parts.at(-1)?.type === 'finish') {
          const keeping = writer.kept?.();
          return keeping !== undefined ? keeping.then(() => close(opened, text)) : close(opened, text);
        }
        quiet?.refresh();
        return text === '' ? undefined : opened.write(text);
      },
      end() {
        if (!over) fail(new AppError('internal_error', 'The answer ended without its end.'));
      },
      fail,
    });
  });
}
