/// Whether what a vector gives is to be taken or to be refused.
package enum VectorResult: String, Decodable {
    case valid
    case invalid
}
