/** What the app knows of a model by its id. */
export interface ModelFacts {
  readonly name: string;
  readonly simulated: boolean;
  readonly priced: boolean;
}
export type DescribeModel = (id: string) => ModelFacts | null;
