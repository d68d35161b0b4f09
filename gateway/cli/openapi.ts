import { openApiDocument } from '../api/openapi/document.ts';
import type { GatewayCommand, Output } from './gateway-command.ts';

export function define(program: GatewayCommand): void {
  program
    .command('openapi')
    .description('prints the interface as an OpenAPI document')
    .example('gateway openapi > portico.openapi.json')
    .answers(async () => printed(openApiDocument()));
}

/** Prints JSON with and without `--json`, because the output is meant to be redirected into a file. */
export const printed = (json: unknown): Output => ({ lines: JSON.stringify(json, null, 2).split('\n'), json });
