import type { z } from 'zod';
import { errorFromJson, GatewayError } from './gateway-error.ts';
import { readChunk } from './reading/read-chunk.ts';
import { type ReportedChunk, reportedChunk } from './reported.ts';
import { streamEvents } from './stream-events.ts';

/**
 * The chunks of a streamed answer. Another server may answer as a whole, by lines of JSON, or end its stream after the last
 * chunk without a word.
 */
export async function* toChunks(response: Response): AsyncGenerator<ReportedChunk> {
  let ended = false;
  try {
    for await (const data of streamEvents(response, { tolerant: true })) {
      const { chunk, other } = parseChunk(data);
      if (other) ended ||= chunk.choices.some(({ finish_reason: finish }) => finish !== null);
      yield chunk;
    }
  } catch (error) {
    if (!(ended && error instanceof GatewayError && error.code === 'truncated')) throw error;
  }
}

/** `other`: it has not the shape of our own gateway. */
function parseChunk(data: string): { chunk: ReportedChunk; other: boolean } {
  const value = parseJson(data);
  const parsed = reportedChunk.safeParse(value);
  if (parsed.success) return { chunk: parsed.data, other: false };
  const chunk = readChunk(value);
  if (chunk !== null) return { chunk, other: true };
  throw unknownShape();
}

/** The payload of an event; an error event is thrown. */
export function parseEvent<T extends z.ZodType>(schema: T, data: string): z.output<T> {
  const parsed = schema.safeParse(parseJson(data));
  if (parsed.success) return parsed.data;
  throw unknownShape();
}

const unknownShape = () =>
  new GatewayError('The gateway sent an event of an unknown shape.', { status_code: 502, code: 'not_a_gateway' });

function parseJson(data: string): unknown {
  if (data.includes('"error"')) {
    const error = errorFromJson(data);
    if (error) throw error;
  }
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new GatewayError('The gateway sent an event that is not JSON.', {
      status_code: 502,
      code: 'not_a_gateway',
      cause,
    });
  }
}
