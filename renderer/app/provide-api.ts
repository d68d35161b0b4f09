import { createElement, type ReactNode } from 'react';
import { type Api, ApiContext } from '../api/api.ts';

/** Gives the client to the hooks below. Here, because components do not import the client. */
export const ProvideApi = ({ api, children }: { api: Api; children: ReactNode }): ReactNode =>
  createElement(ApiContext, { value: api }, children);
