import { words } from '../../text/language.ts';
export const text = words({
  title: 'Welcome to Portico',
  body: 'Every model through one window, and every cost to the last digit.',
  tryIt: 'Try it now',
  tryNote: 'Simulated answers, test credits, no key and no network.',
  addKey: 'Add a provider key',
  keyNote: (isStored: boolean) =>
    `OpenAI, Anthropic, Google or a local server. Kept ${isStored ? 'in your keychain' : 'for this session'}.`,
  gateway: 'Connect a gateway',
  gatewayNote: 'Its address and your key for it.',
  prompt: 'What can you do? Show me a table and some code.',
  failed: 'Could not save your choice',
});
