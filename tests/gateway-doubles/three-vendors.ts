import { Secret } from '../../gateway/access/auth/secret.ts';
import { openTestGateway, type TestGatewayOptions } from './open-test-gateway.ts';
import { type DoubleOptions, openVendorDouble } from './vendors/vendor-double.ts';

/** A model of each vendor that reasons and calls tools. */
export const vendorModels = ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-4-5', 'google/gemini-3.1-pro-preview'];

/** Opens a complete gateway in front of the three vendors' doubles, and a `fetch` that reaches it without a socket. */
export async function openThreeVendors(options: TestGatewayOptions = {}, double: DoubleOptions = {}) {
  const vendors = openVendorDouble({ decrypts: true, ...double });
  const apiKey = new Secret('platform-key');
  const served = await openTestGateway({
    providers: {
      openai: { apiKey, baseUrl: 'https://openai.example/v1' },
      anthropic: { apiKey, baseUrl: 'https://anthropic.example' },
      google: { apiKey, baseUrl: 'https://google.example' },
    },
    fetch: vendors.send,
    plan: 'enterprise',
    ...options,
  });
  return {
    ...served,
    calls: vendors.calls,
    fetch: (input: string | URL | Request, init?: RequestInit) => served.gateway.fetch(new Request(input, init)),
    /** Returns what the ledger charged, as decimal strings, oldest first. */
    async spent(): Promise<string[]> {
      const credits = await (await served.call('/credits?type=usage&limit=100')).json();
      const { transactions } = credits as { transactions: { data: { amount: string }[] } };
      return transactions.data.map(({ amount }) => amount.replace('-', '')).toReversed();
    },
  };
}

/** An upstream that answers every request with these events. */
export const streamingUpstream =
  (...events: string[]): typeof fetch =>
  async () =>
    new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
