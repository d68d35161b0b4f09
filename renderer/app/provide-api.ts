import { createElement, type ReactNode } from 'react';
import { type Api, ApiContext } from '../api/api.ts';

/** Provides the client to hooks. It is a separate module because components may not import the client. */
export const ProvideApi = ({ api, children }: { api: Api; children: ReactNode }): ReactNode =>
  createElement(ApiContext, { value: api }, children);
