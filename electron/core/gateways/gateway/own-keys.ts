import type { Secret } from '#gateway/access/auth/secret.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';

interface Asked {
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
}

/**
 * Returns the provider of a requested `provider/model`. Null: the gateway chooses the model and uses its own
 * credentials.
 */
export function getProvider({ model, provider }: Asked): string | null {
  if (provider && provider !== 'router') return provider;
  const end = model?.indexOf('/') ?? -1;
  return model && end > 0 ? model.slice(0, end) : null;
}

/**
 * Wraps a client so that it sends the person’s own key of the provider along (`byoapi_key`, wire contract §6), if there
 * is one.
 */
export function withOwnKeys(client: GatewayClient, ownKey: (provider: string) => Secret | null): GatewayClient {
  function withKey<Body extends Asked>(body: Body): Body {
    const provider = getProvider(body);
    const key = provider === null ? null : ownKey(provider);
    return key === null ? body : { ...body, byoapi_key: key.reveal() };
  }
  return {
    ...client,
    chat: (body, more) => client.chat(withKey(body), more),
    chatStream: (body, more) => client.chatStream(withKey(body), more),
    completion: (body, more) => client.completion(withKey(body), more),
    completionStream: (body, more) => client.completionStream(withKey(body), more),
    quote: (body, more) => client.quote(withKey(body), more),
  };
}
