@_exported public import DBus
