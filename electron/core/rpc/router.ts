import type { AnyContractProcedure, ContractProcedure, InferSchemaInput, InferSchemaOutput } from '@orpc/contract';
import { type Context, implement, type Router } from '@orpc/server';
import { type Contract, contract } from '#shared/contract/index.ts';

/** A method as a feature has it: gets what the contract's schema made of the input, and what ends the call. */
type Handler<Procedure> =
  Procedure extends ContractProcedure<infer Input, infer Output, infer _Errors, infer _Meta>
    ? (
        input: InferSchemaOutput<Input>,
        signal: AbortSignal | undefined,
      ) => InferSchemaInput<Output> | Promise<InferSchemaInput<Output>>
    : never;

/** The contract, method by method. A feature may have further methods: nobody outside reaches them. */
export type Handlers = {
  readonly [Area in keyof Contract]: { readonly [Method in keyof Contract[Area]]: Handler<Contract[Area][Method]> };
};

export type CoreRouter = Router<Contract, Context>;

/** Binds the contract to what answers it. A method without a handler does not compile. */
export function coreRouter(handlers: Handlers): CoreRouter {
  return mapValues(contract, (procedures, area) => {
    // `Handlers` has checked each pair; a loop over names cannot tell which of them it holds.
    const methods = handlers[area as keyof Contract] as Readonly<Record<string, AnyHandler>>;
    return mapValues<AnyContractProcedure, unknown>(procedures, (procedure, method) =>
      implement(procedure).handler(({ input, signal }) => methods[method]?.(input, signal)),
    );
  }) as CoreRouter;
}

type AnyHandler = (input: unknown, signal: AbortSignal | undefined) => unknown;

const mapValues = <From, To>(values: Readonly<Record<string, From>>, to: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));
