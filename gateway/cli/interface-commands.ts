import { openApiDocument } from '../api/openapi/document.ts';
import { postmanCollection } from '../api/openapi/postman.ts';
import type { Output, ReferenceInput } from './command-input.ts';

export const printOpenApi = async (): Promise<Output> => printed(openApiDocument());

export const printPostman = async ({ options }: ReferenceInput<{ baseUrl: string }>): Promise<Output> =>
  printed(postmanCollection(openApiDocument(), options.baseUrl));

/** A file to redirect into: JSON either way. */
const printed = (json: unknown): Output => ({ lines: JSON.stringify(json, null, 2).split('\n'), json });
