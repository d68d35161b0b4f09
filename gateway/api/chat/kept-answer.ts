import { nanoUsd } from '#shared/money.ts';
import type { AnswerPart } from '../../engine/answer.ts';
import type { NonStreamingAnswer } from './collect-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { DeltaPart } from './stream-writer.ts';

/** A finished answer with its ids, in the form in which it is written out, and stored for a repeated request. */
export interface FormedAnswer extends NonStreamingAnswer {
  readonly identity: AnswerIdentity;
}

/** JSON has no `bigint`, so amounts are stored as text. */
export function keptToText({ identity, route, finish, content }: FormedAnswer): string {
  const { cost, upstreamCost, ...rest } = finish;
  const amounts = { cost: String(cost), upstreamCost: upstreamCost === null ? null : String(upstreamCost) };
  return JSON.stringify({ identity, route, content, finish: { ...rest, ...amounts } });
}

/** Reads what `keptToText` wrote. The text was encrypted while it was stored, so it cannot have been changed. */
export function keptFromText(text: string): FormedAnswer {
  const { finish, content, ...rest } = JSON.parse(text);
  const { cost, upstreamCost } = finish;
  // Instances of an earlier version stored neither details nor annotations nor images.
  return {
    ...rest,
    content: { annotations: [], images: [], reasoningDetails: [], ...content },
    finish: {
      ...finish,
      cost: nanoUsd(BigInt(cost)),
      upstreamCost: upstreamCost === null ? null : nanoUsd(BigInt(upstreamCost)),
    },
  };
}

/** The parts of a stored answer, each kind of content in one piece (wire contract §3.4). */
export function getParts({ route, finish, content }: NonStreamingAnswer): AnswerPart[] {
  const { annotations, images, reasoning, reasoningDetails, text, refusal, toolCalls, logprobs } = content;
  const calls = toolCalls.flatMap((call, index): DeltaPart[] => [
    {
      type: 'tool-call-start',
      index,
      id: call.id,
      name: call.function.name,
      ...(call.extra_content ? { extraContent: call.extra_content } : {}),
    },
    { type: 'tool-call-delta', index, arguments: call.function.arguments },
  ]);
  return [
    route,
    ...(reasoning || reasoningDetails.length > 0
      ? [{ type: 'reasoning-delta' as const, text: reasoning, details: reasoningDetails }]
      : []),
    ...(text || logprobs ? [{ type: 'text-delta' as const, text, ...(logprobs ? { logprobs } : {}) }] : []),
    ...images,
    ...(refusal ? [{ type: 'refusal-delta' as const, text: refusal }] : []),
    ...(annotations.length > 0 ? [{ type: 'annotations' as const, annotations }] : []),
    ...calls,
    finish,
  ];
}
