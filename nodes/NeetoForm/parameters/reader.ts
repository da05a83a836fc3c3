import type { IGetNodeParameterOptions, INode, INodeProperties } from 'n8n-workflow';
import { isAgentTool } from '../api/nodeErrors';
import { locatorValue } from './ids';
import { invalidValue, isBlank } from './values';

/** The part of n8n's contexts that gives the values of parameters. */
export interface ParameterSource {
  getNode(): INode;
  getTimezone(): string;
  getNodeParameter(path: string, fallback?: unknown, options?: IGetNodeParameterOptions): unknown;
}

/** Converts a value. `zone` is the workflow's time zone. @throws UserError that names the field when the value's meaning is not clear */
export type Convert<T, Field extends Labeled = INodeProperties> = (field: Field, value: unknown, zone: string) => T;

type Labeled = Pick<INodeProperties, 'name' | 'displayName' | 'default'>;

/** Reads the values of fields. A field that an agent leaves out has a blank value. */
export class FieldReader {
  private readonly source: ParameterSource;
  private readonly collection?: string;

  /** @param collection the name of the collection that holds the fields. Default: they are at the top level */
  constructor(source: ParameterSource, collection?: string) {
    this.source = source;
    this.collection = collection;
  }

  /** A reader of the fields of a collection. Collections are not nested. */
  within(collection: string): FieldReader {
    return new FieldReader(this.source, collection);
  }

  /** Reads a field with a default. An agent's blank means the default. @throws UserError when the value is wrong, or an expression gives a blank */
  value<T, Field extends Labeled>(field: Field, convert: Convert<T, Field>): T {
    const given = this.source.getNodeParameter(this.pathOf(field), field.default);
    const value = isBlank(given) && this.isAgentTool ? field.default : given;
    if (isBlank(locatorValue(value))) this.refuseIfExpression(field, 'Correct the expression.');
    return convert(field, value, this.source.getTimezone());
  }

  /**
   * Reads a field that may be left out. An agent's blank always leaves it out.
   *
   * @param convert may return undefined for what is as good as blank, such as a text of commas only
   * @throws UserError when the value is wrong, or an expression gives a blank
   */
  optional<T, Field extends Labeled>(field: Field, convert: Convert<T | undefined, Field>): T | undefined {
    const converted = this.convertUnlessBlank(field, convert);
    // An expression that gives a blank must not leave out the field: without its filter, a list would return everything.
    if (converted === undefined && !this.isAgentTool)
      this.refuseIfExpression(field, 'Correct the expression, or remove the field to do without it.');
    return converted;
  }

  /**
   * Reads a field that changes something and may be left out. An agent's blank always leaves it out.
   *
   * @throws UserError when the value is wrong, or blank: it would erase what is there
   */
  change<T, Field extends Labeled>(field: Field, convert: Convert<T, Field>): T | undefined {
    const converted = this.convertUnlessBlank(field, convert);
    if (converted !== undefined || this.isAgentTool) return converted;
    const advice = 'Enter a value, or remove the field to keep what is there. Nothing was sent.';
    this.refuseIfExpression(field, advice);
    if (this.given(field) !== null) throw invalidValue(`'${field.displayName}' is empty`, advice);
    return undefined;
  }

  private convertUnlessBlank<T, Field extends Labeled>(field: Field, convert: Convert<T, Field>): T | undefined {
    const value = this.given(field);
    return isBlank(value) ? undefined : convert(field, value, this.source.getTimezone());
  }

  /** The value of a field. A field that was not added to the collection is null. */
  private given(field: Labeled): unknown {
    return this.source.getNodeParameter(this.pathOf(field), null);
  }

  private get isAgentTool(): boolean {
    return isAgentTool(this.source.getNode());
  }

  /** For a field whose value is blank: refuses it if an expression gave that value. @throws UserError */
  private refuseIfExpression(field: Labeled, advice: string): void {
    const entered = locatorValue(this.source.getNodeParameter(this.pathOf(field), null, { rawExpressions: true }));
    if (typeof entered === 'string' && entered.startsWith('=') && entered.slice(1).trim() !== '')
      throw invalidValue(`'${field.displayName}' is empty: its expression gives no value`, advice);
  }

  private pathOf({ name }: Labeled): string {
    return this.collection === undefined ? name : `${this.collection}.${name}`;
  }
}
