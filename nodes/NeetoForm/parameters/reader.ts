import type { IGetNodeParameterOptions, INode, INodeProperties } from 'n8n-workflow';
import { isAgentTool } from '../api/errors';
import { locatorValue } from './ids';
import { isBlank, invalidValue } from './values';

/** n8n's context that gives the values: the action node's for one input item, or that of a poll. */
export interface ParameterSource {
  getNode(): INode;
  getTimezone(): string;
  getNodeParameter(path: string, fallback?: unknown, options?: IGetNodeParameterOptions): unknown;
}

/** Converts a value whose meaning is clear. Otherwise throws a UserError that names the field. `zone` is the workflow's time zone. */
export type Convert<T, Field extends Labeled = INodeProperties> = (field: Field, value: unknown, zone: string) => T;

type Labeled = Pick<INodeProperties, 'name' | 'displayName' | 'default'>;

/** The collection of the operation Update. A blank in one of its fields would erase what the team member has. */
const CHANGES = 'updateFields';

/** Reads the values of fields, at the top level or in a collection. A field that an agent leaves out has a blank value. */
export class FieldReader {
  private readonly source: ParameterSource;
  private readonly collection?: string;

  /** @param collection the name of the collection that holds the fields */
  constructor(source: ParameterSource, collection?: string) {
    this.source = source;
    this.collection = collection;
  }

  /** Makes a reader for the fields of a collection. */
  within(collection: string): FieldReader {
    return new FieldReader(this.source, collection);
  }

  /**
   * Reads a field that always has a value: its default, when the user sets none. An agent's blank counts as none. A blank that an
   * expression gives is refused.
   */
  value<T, Field extends Labeled>(field: Field, convert: Convert<T, Field>): T {
    const given = this.source.getNodeParameter(this.pathOf(field), field.default);
    const value = isBlank(given) && this.isAgentTool ? field.default : given;
    if (isBlank(locatorValue(value)) && this.isExpression(field))
      throw emptyExpression(field, 'Correct the expression.');
    return convert(field, value, this.source.getTimezone());
  }

  /**
   * Reads a field that may be left out. What a blank means depends on where it comes from:
   * - An agent gives it for a field that it leaves out.
   * - An expression must not give one: without its filter, a list would return everything.
   * - A user who typed it leaves the field out. In Update it is refused, because it would erase what is there.
   *
   * @param convert may return undefined for a value that is as good as blank: a list of commas, for example
   * @returns undefined when the field is left out
   */
  optional<T, Field extends Labeled>(field: Field, convert: Convert<T | undefined, Field>): T | undefined {
    // n8n gives null for a field that was not added to the collection.
    const value = this.source.getNodeParameter(this.pathOf(field), null);
    const converted = isBlank(value) ? undefined : convert(field, value, this.source.getTimezone());
    if (converted !== undefined || this.isAgentTool) return converted;
    const isChange = this.collection === CHANGES;
    const advice = isChange
      ? 'Enter a value, or remove the field to keep what is there. Nothing was sent.'
      : 'Correct the expression, or remove the field to do without it.';
    if (this.isExpression(field)) throw emptyExpression(field, advice);
    if (isChange && value !== null) throw invalidValue(`'${field.displayName}' is empty`, advice);
    return undefined;
  }

  private get isAgentTool(): boolean {
    return isAgentTool(this.source.getNode());
  }

  private isExpression(field: Labeled): boolean {
    const entered = locatorValue(this.source.getNodeParameter(this.pathOf(field), null, { rawExpressions: true }));
    return typeof entered === 'string' && entered.startsWith('=') && entered.slice(1).trim() !== '';
  }

  private pathOf({ name }: Labeled): string {
    return this.collection === undefined ? name : `${this.collection}.${name}`;
  }
}

function emptyExpression({ displayName }: Labeled, advice: string) {
  return invalidValue(`'${displayName}' is empty: its expression gives no value`, advice);
}
