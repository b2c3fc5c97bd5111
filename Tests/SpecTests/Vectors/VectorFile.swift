import Foundation

/// A file of spec/vectors with a list of vectors.
struct VectorFile<Vector: Decodable>: Decodable {
    let vectors: [Vector]

    static func read(_ name: String) throws -> [Vector] {
        let data = try Repository.bytes(of: "spec/vectors/\(name).json")
        return try JSONDecoder().decode(VectorFile<Vector>.self, from: data).vectors
    }
}

/// Whether bytes are to be read or to be refused.
enum VectorResult: String, Decodable {
    case valid
    case invalid
}
