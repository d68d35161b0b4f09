import type { AnyContractProcedure, ContractProcedure, InferSchemaInput, InferSchemaOutput } from '@orpc/contract';
import { type Context, implement, type Router } from '@orpc/server';
import { type Contract, contract } from '#shared/contract/index.ts';

/** A function of a feature. It gets the parsed input and the call’s signal. */
type Handler<Procedure> =
  Procedure extends ContractProcedure<infer Input, infer Output, infer _Errors, infer _Meta>
    ? (
        input: InferSchemaOutput<Input>,
        signal: AbortSignal | undefined,
      ) => InferSchemaInput<Output> | Promise<InferSchemaInput<Output>>
    : never;

/** A handler for each method of the contract. Windows can't call other methods of a feature. */
export type Handlers = {
  readonly [Area in keyof Contract]: { readonly [Method in keyof Contract[Area]]: Handler<Contract[Area][Method]> };
};

export type CoreRouter = Router<Contract, Context>;

/** Binds handlers to the contract. A missing handler doesn't compile. */
export function coreRouter(handlers: Handlers): CoreRouter {
  return mapValues(contract, (procedures, area) => {
    // The type `Handlers` has checked each pair. A loop over names loses these types.
    const methods = handlers[area as keyof Contract] as Readonly<Record<string, AnyHandler>>;
    return mapValues<AnyContractProcedure, unknown>(procedures, (procedure, method) =>
      implement(procedure).handler(({ input, signal }) => methods[method]?.(input, signal)),
    );
  }) as CoreRouter;
}

type AnyHandler = (input: unknown, signal: AbortSignal | undefined) => unknown;

const mapValues = <From, To>(values: Readonly<Record<string, From>>, to: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));
