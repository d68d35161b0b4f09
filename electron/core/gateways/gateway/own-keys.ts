import type { Secret } from '#gateway/access/auth/secret.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';

interface Asked {
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
}

/** The provider of a model that was named, as `provider/model`; null: the gateway chooses, and its own credentials answer. */
export function getProvider({ model, provider }: Asked): string | null {
  if (provider && provider !== 'router') return provider;
  const end = model?.indexOf('/') ?? -1;
  return model && end > 0 ? model.slice(0, end) : null;
}

/** A client that sends the person’s own key of the provider along (`byoapi_key`, wire contract §6), where there is one. */
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
