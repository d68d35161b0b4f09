import type { ClientContext, ClientLink } from '@orpc/client';
import { createORPCClient } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import { createTanstackQueryUtils } from '@orpc/tanstack-query';
import { createContext, useContext } from 'react';
import type { Contract } from '#shared/contract/index.ts';

/** Everything the renderer may ask of the core. */
export type Api = ContractRouterClient<Contract>;
export type CoreLink = ClientLink<ClientContext>;

/** The typed client over whatever carries the messages: a MessagePort, a WebSocket, or a test's channel. */
export const createApi = (link: CoreLink): Api => createORPCClient<Api>(link);

export const ApiContext = createContext<Api | null>(null);

/** What TanStack Query is given to ask the core: keys and functions that the contract names. */
export const getQueries = (api: Api) => createTanstackQueryUtils(api);

/** The client of this window. Components do not call it: hooks do. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi needs an ApiContext above it');
  return api;
}

/** The same for queries. */
export const useOrpc = () => getQueries(useApi());
