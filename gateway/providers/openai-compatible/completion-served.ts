import { asCount, asObject, asText, type JsonObject } from '../../json/json-value.ts';
import type { Served } from '../provider.ts';

/** What a chunk tells of how it was answered, over what those before it told; the same object where it tells nothing new. */
export function servedBy(chunk: JsonObject, before: Served | null): Served | null {
  const serviceTier = asText(chunk.service_tier) ?? before?.serviceTier;
  const systemFingerprint = asText(chunk.system_fingerprint) ?? before?.systemFingerprint;
  const predicted = chunk.usage ? predictedTokens(asObject(asObject(chunk.usage).completion_tokens_details)) : null;
  if (!predicted && serviceTier === before?.serviceTier && systemFingerprint === before?.systemFingerprint)
    return before;
  return {
    ...before,
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(systemFingerprint === undefined ? {} : { systemFingerprint }),
    ...predicted,
  };
}

/** Null where nothing was predicted. */
function predictedTokens(details: JsonObject): Served | null {
  const acceptedPredictionTokens = asCount(details.accepted_prediction_tokens) ?? 0;
  const rejectedPredictionTokens = asCount(details.rejected_prediction_tokens) ?? 0;
  return acceptedPredictionTokens + rejectedPredictionTokens > 0
    ? { acceptedPredictionTokens, rejectedPredictionTokens }
    : null;
}
