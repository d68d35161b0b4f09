import type { Message } from '#shared/contract/conversations.ts';
import { usd } from '../../lib/format.ts';
import { providerName } from '../../ui/provider-name.ts';
import { text } from './text.ts';

/**
 * What providers do when a stream is closed, as far as it is known (their documentation, and that of gateways that have
 * asked them). `stops`: what was not written yet is not computed and not charged. `goes_on`: the answer is finished unseen.
 */
const afterClosing: Readonly<Record<string, 'stops' | 'goes_on'>> = {
  openai: 'stops',
  anthropic: 'stops',
  sandbox: 'stops',
  deepseek: 'stops',
  xai: 'stops',
  fireworks: 'stops',
  together: 'stops',
  google: 'goes_on',
  groq: 'goes_on',
  mistral: 'goes_on',
  perplexity: 'goes_on',
};

/** After Stop: what was billed, and whether the provider may charge for more than what arrived. */
export function afterStop({ costUsd, costSource, servedProvider, requestId, finishReason }: Message): string {
  if (servedProvider === null && requestId === null) return text.stoppedBefore;
  const provider = providerName(servedProvider ?? '');
  const after = afterClosing[servedProvider ?? ''];
  const cost =
    costUsd === null || costSource === 'unknown' ? text.stopCostOpen : text.stopCost(usd(costUsd), costSource);
  // It was stopped while tools waited or ran: the provider had nothing left to compute.
  if (finishReason !== null) return cost;
  const truth =
    after === 'stops'
      ? text.providerStops(provider)
      : after === 'goes_on'
        ? text.providerGoesOn(provider)
        : text.providerUnknown;
  return `${cost} ${truth}`;
}
