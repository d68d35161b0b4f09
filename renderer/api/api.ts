import type { ClientContext, ClientLink } from '@orpc/client';
import { createORPCClient } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import { createTanstackQueryUtils } from '@orpc/tanstack-query';
import { createContext, useContext } from 'react';
import type { Contract } from '#shared/contract/index.ts';

/** The methods of the core that the renderer may call. */
export type Api = ContractRouterClient<Contract>;
export type CoreLink = ClientLink<ClientContext>;

/** The typed client over whatever carries the messages: a MessagePort, a WebSocket, or a test's channel. */
export const createApi = (link: CoreLink): Api => createORPCClient<Api>(link);

export const ApiContext = createContext<Api | null>(null);

/** Returns the query keys and functions for TanStack Query, one for each method of the contract. */
export const getQueries = (api: Api) => createTanstackQueryUtils(api);

/** Returns the client of this window. Only hooks call it; components call those hooks. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi needs an ApiContext above it');
  return api;
}

/** Returns the query keys and functions of this window's client. */
export const useOrpc = () => getQueries(useApi());
